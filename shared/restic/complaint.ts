import type { Secret } from '#shared/secret.ts'

const MOST = 600

/** The last lines of restic, of which those in JSON have a `message`: in one line, without secrets. */
export function complaintOf(output: string, secrets: readonly Secret[]): string {
  const lines = output
    .split('\n')
    .map(messageIn)
    .filter((line) => line !== '')
  return withoutSecrets(lines.slice(-3).join(' | '), secrets).slice(0, MOST)
}

function messageIn(line: string): string {
  const text = line.trim()
  if (!text.startsWith('{')) return text.replace(/\p{Cc}/gu, ' ')
  try {
    const value = JSON.parse(text)
    const message = value.message ?? value.error?.message
    return typeof message === 'string' ? message.replace(/\s+/g, ' ').trim() : ''
  } catch {
    return ''
  }
}

function withoutSecrets(text: string, secrets: readonly Secret[]): string {
  const plain = secrets.map((secret) => secret.reveal()).filter((secret) => secret !== '')
  return plain.reduce(
    (rest, secret) => rest.replaceAll(secret, '***').replaceAll(encodeURIComponent(secret), '***'),
    text,
  )
}
