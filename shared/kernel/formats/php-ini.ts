import { requireMatch } from './require-match.ts'
import { FormattedText, formatOf } from './template.ts'

/**
 * The template tag of php.ini and of pools of PHP-FPM. A value without quotes has no sign of the
 * grammar: no blank, quote, comment, bracket, operator or `$`.
 */
export const phpIni = formatOf({
  word: /^[\w./:,+@-]+$/,
  rule: 'Must be letters, digits and . _ / : , + @ -',
})

/** Returns a value in double quotes, which end at the next one and contain no `$` and no backslash. */
export const phpIniText = (field: string, text: string): FormattedText =>
  new FormattedText(
    `"${requireMatch(field, text, /^[^"\\$\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u, 'Must be one line without quotes, backslashes and $')}"`,
  )
