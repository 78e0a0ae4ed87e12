import type { Output } from '#agent/kernel/host/ports.ts'
import { isAccessDenied, isClockError, withClockAdvice } from '#shared/backups/clock-errors.ts'
import { complaintOf, isDamageError, messageIn } from '#shared/backups/restic-complaint.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import type { Secret } from '#shared/kernel/secret.ts'

/** The exit statuses of restic(1) with a meaning of their own. */
export const NO_REPOSITORY = 10
export const LOCKED = 11
/** An exit status from which on a signal ended the program. */
export const SIGNALLED = 128
export const WRONG_PASSWORD = 12

/** Thrown when files could not be read, or changed while they were read; it has all others. */
export class IncompleteSnapshot extends Error {}
const INCOMPLETE = 3

class ResticFailed extends Error {
  readonly code: number

  constructor(message: string, code: number) {
    super(message)
    this.code = code
  }
}

class RepositoryDamaged extends ResticFailed {}

export const isDamaged = (error: unknown): boolean => error instanceof RepositoryDamaged

/** Thrown when the storage, or this server, has no space left. */
class StorageFull extends ResticFailed {}

export const isFull = (error: unknown): boolean => error instanceof StorageFull

/** Thrown when the clocks of the server and the storage differ. */
class WrongClock extends ServiceError {}

export const isUnreachable = (error: unknown): boolean =>
  error instanceof ServiceError && error.refusal === 'target_unreachable'

/** Returns whether its target or restic failed, so that the unread backup may be intact. */
export const isTransient = (error: unknown): boolean =>
  error instanceof WrongClock ||
  isUnreachable(error) ||
  (error instanceof ResticFailed && (error.code === LOCKED || error.code >= SIGNALLED))

/** The output of restic; `late` is true when it was ended because it took too long. */
export type ResticOutput = Output & { late?: boolean }

/** Returns the message of restic, with that of the storage, in one line and without secrets. */
export function failureOf(ended: ResticOutput, secrets: readonly Secret[]): Error {
  const { code, stdout, stderr, late = false } = ended
  const reason = complaintOf(`${stdout}\n${stderr}`, secrets) || silent(code)
  if (code === INCOMPLETE && !isDamageError(reason)) return new IncompleteSnapshot(reason)
  const status = late && WAITS.test(reason) ? LOCKED : code
  const hint = HINTS[status]
  if (hint !== undefined) return new ResticFailed(`${hint} (${reason})`, status)
  return failureIn(reason, { code, late })
}

const silent = (code: number) => `exit status ${code}`

/** Returns the error for an exit status without a meaning of its own, from what restic printed. */
function failureIn(reason: string, { code, late }: { code: number; late: boolean }): Error {
  if (isClockError(reason)) return new WrongClock('internal', { message: withClockAdvice(reason) })
  if (STORAGE_FULL.test(reason)) return new StorageFull(`${FREE} (${reason})`, code)
  const isAway = late || UNREACHABLE.test(reason)
  if (isAway && !FULL.test(reason)) return unreachable(reason)
  if (isDamageError(reason)) return new RepositoryDamaged(`${REPAIR} (${reason})`, code)
  if (FULL.test(reason)) return new StorageFull(`restic: ${reason}`, code)
  if (isAccessDenied(reason)) return new ResticFailed(withClockAdvice(reason), code)
  const isKilled = code >= SIGNALLED && reason === silent(code)
  return new ResticFailed(isKilled ? `${KILLED} (${reason})` : `restic: ${reason}`, code)
}

/** Describes a target that cannot be reached, about which restic's last message need not be. */
const unreachable = (reason: string) =>
  new ServiceError('internal', {
    message: `The target did not answer: check the network between it and this server (${reason})`,
    refusal: 'target_unreachable',
  })

const FULL = /no space left on device/
/** The refusals of an SFTP or REST server and of a quota of S3; to restic they are failures. */
const STORAGE_FULL =
  /sftp: no space left|\(507\)|insufficient storage|(?<!disk )quota ?exceeded|storagefull/i
const KILLED = 'restic was killed: check that this server has enough free memory, and try again'
const FREE = 'The storage has no space left: free some there, or raise its quota'
const WAITS = /repo already locked, waiting/
/** The words of Go's network, of restic itself, and of ssh(1) about an unreachable host. */
const UNREACHABLE =
  /\bdial (tcp|udp)\b|i\/o timeout|no such host|TLS handshake timeout|connection (refused|reset|timed out)|no route to host|network is unreachable|request timeout|context deadline exceeded|ssh command exited|not responding/i

/** The file of a snapshot is not in the storage. */
const NO_SNAPSHOT = /no matching ID found|Load\(<snapshot\/.*(no such file|\b404\b|does not exist)/i

export const isUnknownSnapshot = (stderr: string): boolean => NO_SNAPSHOT.test(stderr)

/** restic leaves out snapshots that it cannot read, and ends as if these were all. */
const PARTIAL = /^(Ignoring "|could not load snapshots)/m

/** restic could not list the snapshots at all, and ends as if there were none. */
export const isFailedList = (stderr: string): boolean => /^could not load snapshots/m.test(stderr)

export const isPartialList = (stderr: string): boolean => PARTIAL.test(stderr)

/** Returns whether a line of restic, as text or as JSON, reports damage. */
export const reportsDamage = (line: string): boolean => isDamageError(messageIn(line))

const REPAIR =
  'The repository is damaged: check the disk of the storage, then repair the repository as the documentation of the keeper says (Damaged data)'

const HINTS: Record<number, string> = {
  [NO_REPOSITORY]:
    'The target has no repository of this site: check that its storage is mounted and complete',
  [LOCKED]:
    'The repository is locked by another program: try again when it has ended; the keeper removes the lock of a killed program',
  [WRONG_PASSWORD]:
    'The repository of this site has another password: find its backups with the recovery kit, or choose another target',
}
