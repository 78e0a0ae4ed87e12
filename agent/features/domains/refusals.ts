import type { AcmeLimit } from '#agent/kernel/host/acme-port.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import type { RetryHint } from './failed-requests.ts'

/** A temporary refusal by the authority or by the local check: a retry may succeed. */
export class CertificateRefused extends ServiceError {
  retry: RetryHint = {}
}

export function refusal(name: string, reason: string) {
  const message = `The certificate for ${name} was refused: ${reason}`
  return new CertificateRefused('conflict', { message })
}

/** Returns the refusal for a limit of the authority, which fails no validation. */
export function rateLimited(name: string, { reason, retry_after_s }: AcmeLimit) {
  return Object.assign(refusal(name, reason), { retry: { after_s: retry_after_s } })
}

export function unreachable(name: string, reason: string) {
  return Object.assign(refusal(name, reason), { retry: { is_unspent: true } })
}

/** Turns an unreachable authority into a refusal; passes on errors that end the operation. */
export async function orRefusal<T>(domain: string, order: Promise<T>): Promise<T> {
  try {
    return await order
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw refusal(domain, error instanceof Error ? error.message : String(error))
  }
}
