import { S3Refused } from '#agent/programs/keeper/s3/bucket.ts'
import type { BackupPlace } from '#shared/backups/backup.ts'

/** Thrown for a fault of one field of a target, in the words of the storage. */
export class StorageFault extends Error {
  readonly field: string | null

  constructor(field: string | null, message: string) {
    super(message)
    this.field = field
  }
}

/** Returns the field of a target that an error is about; null for none in particular. */
export function fieldOf(error: unknown, kind: BackupPlace['kind']): string | null {
  if (error instanceof StorageFault) return error.field
  if (error instanceof S3Refused) return S3_CODES[error.code] ?? null
  const code = String(Object(error).code ?? '')
  if (kind === 'local') return 'path'
  if (kind === 'sftp') return 'host'
  return AUTHORITY.has(code) ? 'ca' : 'url'
}

/** The codes of S3 that are about the settings of a target. */
const S3_CODES: Record<string, string> = {
  InvalidAccessKeyId: 'user',
  SignatureDoesNotMatch: 'secret',
  AccessDenied: 'user',
  NoSuchBucket: 'bucket',
  InvalidBucketName: 'bucket',
  AuthorizationHeaderMalformed: 'region',
  PermanentRedirect: 'region',
}

/** The codes of OpenSSL for a certificate of an unknown authority. */
const AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
])

/** Finds the field by the messages of ssh(1), which has one exit status for all faults. */
export function fieldOfSsh(message: string): string {
  if (/host key verification failed|host identification has changed/i.test(message)) {
    return 'host_key'
  }
  if (/invalid format|error in libcrypto|load key/i.test(message)) return 'secret'
  return /permission denied/i.test(message) ? 'secret' : 'host'
}
