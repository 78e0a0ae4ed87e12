import { requireMatch } from './require-match.ts'
import { FormattedText, formatOf } from './template.ts'

const A_WORD = 'Must be letters, digits and . _ : / @ + = , ~ -, and begin with none of @ + = , ~ -'
/** Matches a word; systemd escapes a hyphen in the name of a slice. */
const WORD = /^(?:[\w./:]|\\x2d)(?:[\w.:/@+=,~-]|\\x2d)*$/
/** A line for systemd: UTF-8 without control characters. */
const LINE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{NChar}]*$/u
const A_LINE = 'Must be one line without control characters'

/** The template tag of unit files: systemd.syntax(7). Values contain no specifier, quote or variable. */
export const unit = formatOf({ word: WORD, rule: A_WORD })

/** Returns one word of ExecStart=, which systemd.service(5) takes literally: no escapes, specifiers or variables. */
export const execWord = (text: string): FormattedText =>
  new FormattedText(quoted(requireMatch('ExecStart', text, LINE, A_LINE)).replaceAll('$', '$$$$'))

/** Returns an expression of systemd.time(7). */
export const calendarWords = (text: string): FormattedText =>
  new FormattedText(
    requireMatch('OnCalendar', text, /^[\w*,:/. -]+$/, 'Must be a calendar expression'),
  )

const ADDRESS = /^(?:\[[0-9a-f:.]+\]|[0-9.]+):\d{1,5}$/i

/** Returns an IP address with its port, as ListenStream= has it. */
export const listenWord = (address: string): FormattedText =>
  new FormattedText(
    requireMatch('ListenStream', address, ADDRESS, 'Must be an IP address and a port'),
  )

/** Returns the value of Environment=, in which `$` has no meaning: systemd.exec(5). */
export const environmentWord = (name: string, value: string): FormattedText => {
  const variable = requireMatch('Environment', name, /^[A-Z_][A-Z0-9_]*$/, 'Must be a name')
  return new FormattedText(quoted(`${variable}=${requireMatch(name, value, LINE, A_LINE)}`))
}

const quoted = (text: string) =>
  `"${text.replaceAll(/[\\"]/g, (sign) => `\\${sign}`).replaceAll('%', '%%')}"`

/**
 * Returns a line of a file of EnvironmentFile=: quoted if a word of the shell would be something else.
 * Throws 422 on the name for a value that no such line carries.
 */
export function renderVariable(name: string, value: string): string {
  const variable = requireMatch('name', name, /^[A-Z_][A-Z0-9_]*$/, 'Must be a name')
  const text = requireMatch(name, value, LINE, A_LINE)
  if (/^[\w.:/@+=,%^~-]*$/.test(text)) return `${variable}=${text}`
  return `${variable}="${text.replaceAll(/[\\"$`]/g, (sign) => `\\${sign}`)}"`
}
