import { messageOf, ServiceError } from '#shared/kernel/errors.ts'

/**
 * Matches messages about a full disk: of the kernel, programs and MariaDB, including those of a
 * quota, and our own. The disk of an SFTP server is not one of this server.
 */
const FULL =
  /ENOSPC|EDQUOT|(?<!sftp: )no space left on device|disk quota exceeded|errno: 28\b|the table '[^']*' is full|before it filled the disk|the disk is too full/i
const READ_ONLY = /EROFS|read-only file system/i

/** Returns whether the failure of any program is a full disk. */
export const isDiskFull = (error: unknown): boolean => FULL.test(messageOf(error))

/** An error that already names a disk as its cause. */
class DiskFault extends ServiceError {}

const isBlamed = (error: unknown): boolean =>
  error instanceof DiskFault || (error instanceof Error && isBlamed(error.cause))

/** Returns the failure in plain words if a disk caused it; other errors unchanged. */
export function withDiskAdvice(error: unknown): unknown {
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

/** Returns whether the message of a program is about a file that was deleted. */
export const isVanished = (message: string): boolean =>
  message.endsWith('no such file or directory')
