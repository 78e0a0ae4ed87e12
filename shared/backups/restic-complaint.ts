import type { Secret } from '#shared/kernel/secret.ts'
import { isClockError } from './clock-errors.ts'

const MAX_LENGTH = 600

/** Matches errors about a file of another content, or a missing one: folder, REST server, S3. */
const DAMAGED =
  /invalid data returned|ciphertext verification failed|is damaged|could be damaged|not found in repository|(Load|ReadFull)\(<\w+\/.*(no such file|\b404\b|does not exist)/i

/** Returns whether a message of restic is about wrong or missing data in the repository. */
export const isDamageError = (message: string): boolean => DAMAGED.test(message)

/** Returns its last lines, of which those in JSON have a `message`, in one line without secrets. */
export function complaintOf(output: string, secrets: readonly Secret[]): string {
  const lines = output
    .split('\n')
    .map(messageIn)
    .filter((line) => line !== '')
  const last = lines.slice(-3)
  const cause = causeIn(lines.slice(0, -3), last)
  return withoutSecrets([...cause, ...last].join(' | '), secrets).slice(0, MAX_LENGTH)
}

/** Returns the lines with the cause, without the files after a damage, or the end of restic. */
function causeIn(earlier: readonly string[], last: readonly string[]): string[] {
  const damage = earlier.filter(isDamageError).slice(0, 1)
  if (damage.length > 0 || last.some(isClockError)) return damage
  return earlier.filter(isClockError).slice(-1)
}

/** Matches the calls within restic, which it appends to unexpected errors. */
const TRACE = /\ngithub\.com\/restic\/.*/s

/** Returns the message in a line that restic printed, as text or as JSON; empty for other JSON. */
export function messageIn(line: string): string {
  const text = line.trim()
  if (!text.startsWith('{')) return text.replace(/\p{Cc}/gu, ' ')
  try {
    const value = JSON.parse(text)
    const message = value.message ?? value.error?.message
    if (typeof message !== 'string') return ''
    return message.replace(TRACE, '').replace(/\s+/g, ' ').trim()
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
