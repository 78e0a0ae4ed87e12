import { requireMatch } from './require-match.ts'

/** Returns a string literal of PHP: in single quotes, only the quote and the backslash have a meaning. */
export function phpLiteral(field: string, text: string): string {
  const value = requireMatch(
    field,
    text,
    /^[^\p{Cc}\p{Cs}]*$/u,
    'Must be text without control characters',
  )
  return `'${value.replaceAll(/[\\']/g, (sign) => `\\${sign}`)}'`
}
