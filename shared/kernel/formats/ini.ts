import { requireMatch } from './require-match.ts'

/** Matches a line of printable ASCII without `%(`, which go-ini replaces with another value. */
const CARRIED = /^(?:%(?!\()|[\x20-\x24\x26-\x7e])*$/
/** Matches what go-ini reads unchanged: no comment, quote, continued line or outer blank. */
const PLAIN = /^(?:[^\s#;"'`\\](?:[^#;"'`\\]*[^\s#;"'`\\])?)?$/
const NAME = /^[A-Za-z][\w-]*$/

/**
 * Renders one section of an INI file for go-ini, which restic and other programs in Go read. A value
 * stands between backquotes if it would mean something else otherwise; the last one on the line ends
 * it. Throws 422 on the key of a value that the format cannot carry.
 */
export function renderIni(section: string, values: Readonly<Record<string, string>>): string {
  const lines = Object.entries(values).map(
    ([key, value]) => `${requireMatch('key', key, NAME, 'Must be a name')}=${written(key, value)}`,
  )
  return `[${requireMatch('section', section, NAME, 'Must be a name')}]\n${lines.join('\n')}\n`
}

function written(key: string, value: string): string {
  const text = requireMatch(key, value, CARRIED, 'Must be one line of printable ASCII without %(')
  return PLAIN.test(text) ? text : `\`${text}\``
}
