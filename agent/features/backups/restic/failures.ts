import type { Output } from '#agent/kernel/host/ports.ts'
import { isDenied, isOfClock, withClockAdvice } from '#shared/backups/clock.ts'
import { complaintOf, isOfDamage, messageIn } from '#shared/backups/complaint.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import type { Secret } from '#shared/kernel/secret.ts'

/** The exit statuses of restic(1) with a meaning of their own. */
export const NO_REPOSITORY = 10
export const LOCKED = 11
/** A signal ended it. */
export const SIGNALLED = 128
export const WRONG_PASSWORD = 12

/** Some files could not be read, or changed while they were; the snapshot has all others. */
export class Incomplete extends Error {}
const INCOMPLETE = 3

/** Any other failure of restic, with its exit status. */
class ResticFailed extends Error {
  readonly code: number

  constructor(message: string, code: number) {
    super(message)
    this.code = code
  }
}

/** Data in the repository is not what restic wrote, or is missing. */
class Damaged extends ResticFailed {}

export const isDamaged = (error: unknown): boolean => error instanceof Damaged

/** The storage, or this server, has no space left. */
class Full extends ResticFailed {}

export const isFull = (error: unknown): boolean => error instanceof Full

/** The server and the storage do not have the same time. */
class WrongClock extends ServiceError {}

export const isUnreachable = (error: unknown): boolean =>
  error instanceof ServiceError && error.refusal === 'target_unreachable'

/** Whether a backup that cannot be read may be whole: its target, or restic itself, was the cause. */
export const isOfElsewhere = (error: unknown): boolean =>
  error instanceof WrongClock ||
  isUnreachable(error) ||
  (error instanceof ResticFailed && (error.code === LOCKED || error.code >= SIGNALLED))

/** What restic printed; `late`: it was ended, because it took too long. */
export type Ended = Output & { late?: boolean }

/** The message of restic, which has that of the storage, in one line and without secrets. */
export function failureOf(ended: Ended, secrets: readonly Secret[]): Error {
  const { code, stdout, stderr, late = false } = ended
  const reason = complaintOf(`${stdout}\n${stderr}`, secrets) || silent(code)
  if (code === INCOMPLETE && !isOfDamage(reason)) return new Incomplete(reason)
  const status = late && WAITS.test(reason) ? LOCKED : code
  const hint = HINTS[status]
  if (hint !== undefined) return new ResticFailed(`${hint} (${reason})`, status)
  return failureIn(reason, { code, late })
}

const silent = (code: number) => `exit status ${code}`

/**
 * Returns the error for an exit status that has no meaning of its own, from what restic printed.
 */
function failureIn(reason: string, { code, late }: { code: number; late: boolean }): Error {
  if (isOfClock(reason)) return new WrongClock('internal', { message: withClockAdvice(reason) })
  if (STORAGE_FULL.test(reason)) return new Full(`${FREE} (${reason})`, code)
  const isAway = late || AWAY.test(reason)
  if (isAway && !FULL.test(reason)) return unreachable(reason)
  if (isOfDamage(reason)) return new Damaged(`${REPAIR} (${reason})`, code)
  if (FULL.test(reason)) return new Full(`restic: ${reason}`, code)
  if (isDenied(reason)) return new ResticFailed(withClockAdvice(reason), code)
  const isKilled = code >= SIGNALLED && reason === silent(code)
  return new ResticFailed(isKilled ? `${KILLED} (${reason})` : `restic: ${reason}`, code)
}

/** It retries for many minutes, and its last words need not be about the network. */
const unreachable = (reason: string) =>
  new ServiceError('internal', {
    message: `The target did not answer: check the network between it and this server (${reason})`,
    refusal: 'target_unreachable',
  })

const FULL = /no space left on device/
/** An SFTP or REST server, and a quota of S3, whose refusal restic takes for a failed request. */
const STORAGE_FULL =
  /sftp: no space left|\(507\)|insufficient storage|(?<!disk )quota ?exceeded|storagefull/i
const KILLED = 'restic was killed: check that this server has enough free memory, and try again'
const FREE = 'The storage has no space left: free some there, or raise its quota'
const WAITS = /repo already locked, waiting/
/** The words of Go's network, of restic itself, and of ssh(1). */
const AWAY =
  /\bdial (tcp|udp)\b|i\/o timeout|no such host|TLS handshake timeout|connection (refused|reset|timed out)|no route to host|network is unreachable|request timeout|context deadline exceeded|ssh command exited|not responding/i

/** The file of a snapshot is not in the storage. */
const NO_SNAPSHOT = /no matching ID found|Load\(<snapshot\/.*(no such file|\b404\b|does not exist)/i

export const isUnknownSnapshot = (stderr: string): boolean => NO_SNAPSHOT.test(stderr)

/** restic leaves out snapshots that it cannot read, and ends as if these were all. */
const PARTIAL = /^(Ignoring "|could not load snapshots)/m

/** It could not list them at all, and ends as if there were none. */
export const isNoList = (stderr: string): boolean => /^could not load snapshots/m.test(stderr)

export const isPartialList = (stderr: string): boolean => PARTIAL.test(stderr)

/** A line that restic printed, as text or as JSON. */
export const tellsDamage = (line: string): boolean => isOfDamage(messageIn(line))

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
