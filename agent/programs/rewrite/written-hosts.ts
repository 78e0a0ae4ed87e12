import { Buffer } from 'node:buffer'

/** JSON, JSON in JSON, and once more. */
const BACKSLASHES = ['\\', '\\\\', '\\\\\\\\']
const PERCENTS = ['%', '%25']

/**
 * How texts write a host, with one character for each byte: an internationalised one as UTF-8, with
 * the escapes of JSON, and URL-encoded.
 */
export function writtenHosts(host: string): string[] {
  if (/^[\x20-\x7e]*$/.test(host)) return [host]
  const written = (spelled: (character: string) => string) =>
    [...host].map((one) => (one > '~' ? spelled(one) : one)).join('')
  const cases = [(text: string) => text, (text: string) => text.toUpperCase()]
  const json = BACKSLASHES.flatMap((backslashes) =>
    cases.map((cased) =>
      written((one) =>
        unitsOf(one)
          .map((unit) => `${backslashes}u${cased(unit)}`)
          .join(''),
      ),
    ),
  )
  const url = PERCENTS.flatMap((percent) =>
    cases.map((cased) =>
      written((one) =>
        bytesOf(one)
          .map((byte) => `${percent}${cased(byte)}`)
          .join(''),
      ),
    ),
  )
  const utf8 = Buffer.from(host, 'utf8').toString('latin1')
  return [...new Set([utf8, ...json, ...url])]
}

const unitsOf = (character: string): string[] =>
  character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'))

const bytesOf = (character: string): string[] =>
  [...Buffer.from(character, 'utf8')].map((byte) => byte.toString(16).padStart(2, '0'))
