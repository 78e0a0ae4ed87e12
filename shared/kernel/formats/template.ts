import { requireMatch } from './require-match.ts'

/** A text that a format has written: a quoted value, a part of a line. Only formats create it. */
export class FormattedText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type TemplateWord = string | number | FormattedText
type TemplateValue = TemplateWord | readonly TemplateWord[]

const COMMENT = /^[\w .,-]*$/

/** The rules of a format for values without quotes. */
interface FormatRules {
  word: RegExp
  rule: string
}

interface TemplateTag {
  (parts: TemplateStringsArray, ...values: readonly TemplateValue[]): string
  /** Renders a part of a line, to be put into another one. */
  part(parts: TemplateStringsArray, ...values: readonly TemplateValue[]): FormattedText
}

/**
 * Returns the template tag of a format. The text of a template is written as it stands. A value is one
 * word of the format, and a list is words with blanks between them: anything else throws 422 on the
 * directive in whose line it stands. A value that fills the beginning of a line up to its end is text
 * that a template of the format has rendered before.
 */
export function formatOf({ word, rule }: FormatRules): TemplateTag {
  const render = (
    parts: readonly string[],
    values: readonly TemplateValue[],
    isPart: boolean,
  ): string => {
    let text = parts[0] ?? ''
    values.forEach((value, at) => {
      const next = parts[at + 1] ?? ''
      const line = text.slice(text.lastIndexOf('\n') + 1)
      const isRendered = !isPart && line === '' && fillsLine(value, next)
      text += isRendered ? value : writtenIn(line, value)
      text += next
    })
    return text
  }
  const writtenIn = (line: string, value: TemplateValue): string => {
    if (/^[#;]/.test(line) && typeof value === 'string') {
      return requireMatch('comment', value, COMMENT, 'Must be a sentence')
    }
    const field = /^\s*([\w.-]+)/.exec(line)?.[1] ?? 'value'
    const one = (each: TemplateWord) =>
      each instanceof FormattedText ? each.text : requireMatch(field, each, word, rule)
    return isList(value) ? value.map(one).join(' ') : one(value)
  }
  return Object.assign(
    (parts: TemplateStringsArray, ...values: readonly TemplateValue[]) =>
      render(parts, values, false),
    {
      part: (parts: TemplateStringsArray, ...values: readonly TemplateValue[]) =>
        new FormattedText(render(parts, values, true)),
    },
  )
}

const fillsLine = (value: TemplateValue, next: string): value is string =>
  typeof value === 'string' && (value === '' || /\n$/.test(value) || /^(\n|$)/.test(next))

const isList = (value: TemplateValue): value is readonly TemplateWord[] => Array.isArray(value)
