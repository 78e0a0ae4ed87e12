/**
 * The address has plain parameters: `php=8.0`, `updates=true`. Every value is a text; a name that
 * is given twice has all its values, with commas between them.
 */
export function parsePlain(text: string): Record<string, string> {
  const found = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(text))
    found.set(name, [...(found.get(name) ?? []), value])
  return Object.fromEntries([...found].map(([name, values]) => [name, values.join(',')]))
}

/** With its question mark; empty without parameters. Undefined parameters are omitted. */
export function writePlain(search: Record<string, unknown>): string {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))
  const text = query.toString().replaceAll('%2C', ',')
  return text && `?${text}`
}
