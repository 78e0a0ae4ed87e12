import { createHash } from 'node:crypto'

/** `SHA256:` and base64 without padding, as ssh-keygen(1) prints it. */
export function fingerprintOf(blob: string): string {
  const digest = createHash('sha256').update(Buffer.from(blob, 'base64')).digest('base64')
  return `SHA256:${digest.replace(/=+$/, '')}`
}
