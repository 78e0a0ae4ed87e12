import { X509Certificate } from 'node:crypto'

/** Returns the fingerprint of the first certificate of a PEM text; empty if there is none. */
export function fingerprintOf(chain: string): string {
  try {
    return new X509Certificate(chain).fingerprint256
  } catch {
    return ''
  }
}
