import { ServiceError } from '#shared/kernel/errors.ts'

/** Returns the code of an error of the system or of SQLite, such as ENOENT; empty without one. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Whether an error is a ServiceError with this code. */
export const isServiceError = (error: unknown, code: ServiceError['code']): error is ServiceError =>
  error instanceof ServiceError && error.code === code
