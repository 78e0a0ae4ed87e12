import { messageOf, ServiceError } from '#shared/kernel/errors.ts'

/**
 * The messages of the kernel, programs and MariaDB, including those of a quota, and our own. The disk of
 * an SFTP server is not one of this server.
 */
const FULL =
  /ENOSPC|EDQUOT|(?<!sftp: )no space left on device|disk quota exceeded|errno: 28\b|the table '[^']*' is full|before it filled the disk|the disk is too full/i
const READ_ONLY = /EROFS|read-only file system/i

/** Whether the failure of any program is a full disk. */
export const isDiskFull = (error: unknown): boolean => FULL.test(messageOf(error))

/** An error that already says that a disk caused it. */
class DiskFault extends ServiceError {}

const isBlamed = (error: unknown): boolean =>
  error instanceof DiskFault || (error instanceof Error && isBlamed(error.cause))

/** The same failure in plain words if a disk caused it; other errors unchanged. */
export function blamingDisk(error: unknown): unknown {
  const message = messageOf(error)
  const what = advice(message)
  if (what === undefined || isBlamed(error)) return error
  const known = error instanceof ServiceError ? error.refusal : undefined
  const refusal = known ?? (FULL.test(message) ? 'disk_full' : undefined)
  return new DiskFault('internal', { message: `${what} (${message})`, refusal, cause: error })
}

function advice(message: string): string | undefined {
  if (FULL.test(message))
    return 'No space left on a disk of this server: free some space, and retry'
  if (!READ_ONLY.test(message)) return undefined
  return 'A disk of this server is read-only: make it writable, and retry'
}

/** Whether the message of a program is about a file that does not exist any more. */
export const isVanished = (message: string): boolean =>
  message.endsWith('no such file or directory')
