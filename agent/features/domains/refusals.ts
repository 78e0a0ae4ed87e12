import type { AcmeLimit } from '#agent/kernel/host/acme-port.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import type { Retry } from './tries.ts'

/** Refused for now, by the authority or by the local check: a retry may succeed. */
export class CertificateRefused extends ServiceError {
  retry: Retry = {}
}

export function refusal(name: string, reason: string) {
  const message = `The certificate for ${name} was refused: ${reason}`
  return new CertificateRefused('conflict', { message })
}

/** A limit of the authority fails no validation. */
export function limited(name: string, { reason, retry_after_s }: AcmeLimit) {
  return Object.assign(refusal(name, reason), { retry: { after_s: retry_after_s } })
}

export function unreachable(name: string, reason: string) {
  return Object.assign(refusal(name, reason), { retry: { is_unspent: true } })
}

/** An unreachable authority counts as a refusal; errors that end the operation are passed on. */
export async function orRefusal<T>(domain: string, order: Promise<T>): Promise<T> {
  try {
    return await order
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw refusal(domain, error instanceof Error ? error.message : String(error))
  }
}
