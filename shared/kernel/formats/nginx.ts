import { requireMatch } from './require-match.ts'
import { FormattedText, formatOf } from './template.ts'

/** Matches a word that nginx reads literally, without any sign of its syntax. */
const WORD = /^[\w.:/@+=~*%?&,[\]-]+$/

/** The template tag of configurations of nginx. */
export const nginx = formatOf({
  word: WORD,
  rule: 'Must be letters, digits and . _ : / @ + = ~ * % ? & , [ ] -',
})

/** Returns a variable, with its sign. */
export const nginxVariable = (name: string): FormattedText =>
  new FormattedText(requireMatch('variable', name, /^\$[a-z][a-z0-9_]*$/, 'Must be a variable'))

/** Returns a word as it stands in a regular expression in double quotes. */
export const nginxPattern = (text: string): FormattedText =>
  new FormattedText(
    requireMatch(
      'pattern',
      text,
      /^[\w.~/%-]+$/,
      'Must be letters, digits and . _ ~ / % -',
    ).replaceAll('.', '\\.'),
  )

/** Returns a string in single quotes. nginx reads variables in it and has no escape for them: there is no `$`. */
export const nginxText = (text: string): FormattedText =>
  new FormattedText(
    `'${requireMatch('text', text, /^(?:[^'\\$\p{Cc}\p{Cs}]|\n)*$/u, 'Must be text without single quotes, backslashes and $')}'`,
  )

/** Returns an address as it stands in a regular expression in double quotes. */
export const nginxAddress = (address: string): string =>
  requireMatch('address', address, /^[0-9a-f.:]+$/i, 'Must be an IP address').replaceAll('.', '\\.')
