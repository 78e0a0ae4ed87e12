import { carry } from './carry.ts'

/** A line of printable ASCII without `%(`, which go-ini replaces with another value. */
const CARRIED = /^(?:%(?!\()|[\x20-\x24\x26-\x7e])*$/
/** What go-ini reads as it stands: no comment, quote, continued line or outer blank. */
const PLAIN = /^(?:[^\s#;"'`\\](?:[^#;"'`\\]*[^\s#;"'`\\])?)?$/
const NAME = /^[A-Za-z][\w-]*$/

/**
 * Renders one section of an INI file for go-ini, which restic and other programs in Go read. A value
 * stands between backquotes if it would mean something else otherwise; the last one on the line ends
 * it. Throws 422 on the key of a value that the format cannot carry.
 */
export function renderIni(section: string, values: Readonly<Record<string, string>>): string {
  const lines = Object.entries(values).map(
    ([key, value]) => `${carry('key', key, NAME, 'Must be a name')}=${written(key, value)}`,
  )
  return `[${carry('section', section, NAME, 'Must be a name')}]\n${lines.join('\n')}\n`
}

function written(key: string, value: string): string {
  const text = carry(key, value, CARRIED, 'Must be one line of printable ASCII without %(')
  return PLAIN.test(text) ? text : `\`${text}\``
}
