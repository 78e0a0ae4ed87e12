/** One field as it is in the message, with its folded lines, without the line end. */
export interface HeaderField {
  /** The name in lower case. */
  name: string
  raw: string
}

/** Parses the part before the first empty line. Text is latin1: one character for each byte. */
export function parseFields(text: string): HeaderField[] {
  const fields: HeaderField[] = []
  for (const line of text.split(/\r\n|\n|\r/)) {
    const last = fields.at(-1)
    if (/^[ \t]/.test(line) && last) last.raw += `\r\n${line}`
    else {
      const name = /^([!-9;-~]+)[ \t]*:/.exec(line)?.[1]
      if (name !== undefined) fields.push({ name: name.toLowerCase(), raw: line })
    }
  }
  return fields
}

/** Returns the unfolded texts of all fields of this name, read as UTF-8. */
export function valuesOf(fields: readonly HeaderField[], name: string): string[] {
  return fields
    .filter((field) => field.name === name)
    .map(({ raw }) => {
      const value = raw.slice(raw.indexOf(':') + 1).replace(/\r\n(?=[ \t])/g, '')
      return Buffer.from(value, 'latin1').toString('utf8').trim()
    })
}

export const field = (name: string, value: string): HeaderField => ({
  name: name.toLowerCase(),
  raw: `${name}: ${Buffer.from(value, 'utf8').toString('latin1')}`,
})

export const renderFields = (fields: readonly HeaderField[]): Buffer =>
  Buffer.from(`${fields.map(({ raw }) => `${raw}\r\n`).join('')}\r\n`, 'latin1')
