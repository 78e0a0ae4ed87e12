import type { Output } from '#agent/host/ports.ts'
import { ServiceError } from '#shared/errors.ts'
import { complaintOf } from '#shared/restic/complaint.ts'
import type { Secret } from '#shared/secret.ts'

/** The exit statuses of restic(1) with a meaning of their own. */
export const NO_REPOSITORY = 10
const LOCKED = 11
/** A signal ended it. */
const SIGNALLED = 128
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

/** Whether a backup that cannot be read may be whole: its target, or restic itself, was the cause. */
export const isOfElsewhere = (error: unknown): boolean =>
  (error instanceof ServiceError && error.refusal === 'target_unreachable') ||
  (error instanceof ResticFailed && (error.code === LOCKED || error.code >= SIGNALLED))

/** What restic printed; `late`: it was ended, because it took too long. */
export type Ended = Output & { late?: boolean }

/** The message of restic, which has that of the storage, in one line and without secrets. */
export function failureOf(
  { code, stdout, stderr, late = false }: Ended,
  secrets: readonly Secret[],
): Error {
  const reason = complaintOf(`${stdout}\n${stderr}`, secrets) || `exit status ${code}`
  if (code === INCOMPLETE) return new Incomplete(reason)
  const hint = HINTS[late && WAITS.test(reason) ? LOCKED : code]
  if (hint !== undefined) return new ResticFailed(`${hint} (${reason})`, late ? LOCKED : code)
  const isAway = late || AWAY.test(reason)
  return isAway && !FULL.test(reason)
    ? unreachable(reason)
    : new ResticFailed(`restic: ${reason}`, code)
}

/** It retries for many minutes, and its last words need not be about the network. */
const unreachable = (reason: string) =>
  new ServiceError('internal', {
    message: `The target did not answer: check the network between it and this server (${reason})`,
    refusal: 'target_unreachable',
  })

const FULL = /no space left on device/
const WAITS = /repo already locked, waiting/
/** The words of Go's network, of restic itself, and of ssh(1). */
const AWAY =
  /\bdial (tcp|udp)\b|i\/o timeout|no such host|TLS handshake timeout|connection (refused|reset|timed out)|no route to host|network is unreachable|request timeout|context deadline exceeded|ssh command exited|not responding/i

const HINTS: Record<number, string> = {
  [NO_REPOSITORY]: 'The target has no repository of this site',
  [LOCKED]:
    'The repository is locked by another program: try again when it has ended; the keeper removes the lock of a killed program',
  [WRONG_PASSWORD]: 'The repository of this site has another password',
}
