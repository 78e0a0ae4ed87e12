import { carry } from './carry.ts'

/** What a format has written itself: a quoted value, or a part of a line. Only formats make it. */
export class Written {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Word = string | number | Written
type Value = Word | readonly Word[]

const COMMENT = /^[\w .,-]*$/

/** How a format writes a value without quotes. */
interface Rules {
  word: RegExp
  rule: string
}

interface Format {
  (parts: TemplateStringsArray, ...values: readonly Value[]): string
  /** The same for a part of a line, to be put into another one. */
  part(parts: TemplateStringsArray, ...values: readonly Value[]): Written
}

/**
 * Returns the template tag of a format. The text of a template is written as it stands. A value is one
 * word of the format, and a list is words with blanks between them: anything else throws 422 on the
 * directive in whose line it stands. A value that fills the beginning of a line up to its end is text
 * that a template of the format has rendered before.
 */
export function formatOf({ word, rule }: Rules): Format {
  const render = (parts: readonly string[], values: readonly Value[], isPart: boolean): string => {
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
  const writtenIn = (line: string, value: Value): string => {
    if (/^[#;]/.test(line) && typeof value === 'string') {
      return carry('comment', value, COMMENT, 'Must be a sentence')
    }
    const field = /^\s*([\w.-]+)/.exec(line)?.[1] ?? 'value'
    const one = (each: Word) =>
      each instanceof Written ? each.text : carry(field, each, word, rule)
    return isList(value) ? value.map(one).join(' ') : one(value)
  }
  return Object.assign(
    (parts: TemplateStringsArray, ...values: readonly Value[]) => render(parts, values, false),
    {
      part: (parts: TemplateStringsArray, ...values: readonly Value[]) =>
        new Written(render(parts, values, true)),
    },
  )
}

const fillsLine = (value: Value, next: string): value is string =>
  typeof value === 'string' && (value === '' || /\n$/.test(value) || /^(\n|$)/.test(next))

const isList = (value: Value): value is readonly Word[] => Array.isArray(value)
