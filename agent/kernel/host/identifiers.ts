/** Inserts the values of `??` as identifiers; the values of `?` are left for the driver. */
export function withIdentifiers<T>(
  sql: string,
  values: readonly T[],
  quoted: (name: string) => string,
): { sql: string; values: T[] } {
  const marks = [...sql.matchAll(/\?\??/g)].map(([mark]) => mark)
  const names = values.filter((_, index) => marks[index] === '??')
  return {
    sql: sql.replace(/\?\?/g, () => quoted(String(names.shift()))),
    values: values.filter((_, index) => marks[index] === '?'),
  }
}
