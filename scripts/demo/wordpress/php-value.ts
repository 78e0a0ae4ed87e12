type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value }

/** As PHP's serialize() writes it: lists and objects become arrays. */
export function serialized(value: Value): string {
  if (typeof value === 'string') return `s:${Buffer.byteLength(value)}:"${value}";`
  if (typeof value === 'number') return `i:${value};`
  if (typeof value === 'boolean') return `b:${value ? 1 : 0};`
  const entries: (readonly [string | number, Value])[] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value)
  const fields = entries.map(([key, one]) => serialized(key) + serialized(one))
  return `a:${entries.length}:{${fields.join('')}}`
}
