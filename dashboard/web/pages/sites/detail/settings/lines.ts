/** The lines of a text field, without empty ones. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** `name = value` in each line; a line without `=` has an empty value, which the server refuses. */
export const pairsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    linesOf(text).map((line) => {
      const [name = '', ...value] = line.split('=')
      return [name.trim(), value.join('=').trim()]
    }),
  )

export const textOf = (pairs: Readonly<Record<string, string>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name} = ${value}`)
    .join('\n')
