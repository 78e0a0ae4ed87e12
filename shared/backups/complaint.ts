import type { Secret } from '#shared/kernel/secret.ts'
import { isOfClock } from './clock.ts'

const MOST = 600

/** A file of another content, and one that is missing in a folder, on a REST server or in S3. */
const DAMAGED =
  /invalid data returned|ciphertext verification failed|is damaged|could be damaged|not found in repository|(Load|ReadFull)\(<\w+\/.*(no such file|\b404\b|does not exist)/i

/** Whether a message of restic says that data in the repository is not what it wrote, or is missing. */
export const isOfDamage = (message: string): boolean => DAMAGED.test(message)

/** Its last lines, of which those in JSON have a `message`: in one line, without secrets. */
export function complaintOf(output: string, secrets: readonly Secret[]): string {
  const lines = output
    .split('\n')
    .map(messageIn)
    .filter((line) => line !== '')
  const last = lines.slice(-3)
  const cause = causeIn(lines.slice(0, -3), last)
  return withoutSecrets([...cause, ...last].join(' | '), secrets).slice(0, MOST)
}

/** A restore complains about each file after a damage, and a restic that is ended says so. */
function causeIn(earlier: readonly string[], last: readonly string[]): string[] {
  const damage = earlier.filter(isOfDamage).slice(0, 1)
  if (damage.length > 0 || last.some(isOfClock)) return damage
  return earlier.filter(isOfClock).slice(-1)
}

/** The calls within restic, which it appends to unexpected errors. */
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
