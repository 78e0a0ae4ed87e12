import { ServiceError } from '#shared/errors.ts'

/** As the kernel, programs and MariaDB say it. A quota is no less of an end. */
const FULL =
  /ENOSPC|EDQUOT|no space left on device|disk quota exceeded|errno: 28\b|the table '[^']*' is full/i
const READ_ONLY = /EROFS|read-only file system/i

/** Whether a failure, of whatever program, is that of a disk that has no room. */
export const isDiskFull = (error: unknown): boolean => FULL.test(messageOf(error))

/** The same failure for a human, where a disk is to blame for it; other errors as they are. */
export function blamingDisk(error: unknown): unknown {
  const message = messageOf(error)
  const what = advice(message)
  if (what === undefined || message.startsWith(what)) return error
  const refusal = error instanceof ServiceError ? error.refusal : undefined
  return new ServiceError('internal', { message: `${what} (${message})`, refusal, cause: error })
}

function advice(message: string): string | undefined {
  if (FULL.test(message)) {
    return 'No space left on a disk of this server: make room, then do it again'
  }
  if (READ_ONLY.test(message)) {
    return 'A disk of this server is read-only: make it writable, then do it again'
  }
  return undefined
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
