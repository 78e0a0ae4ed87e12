/** Returns a copy of an object without these fields. */
export const omit = <T extends object, K extends keyof T & string>(
  value: T,
  ...fields: readonly K[]
): Omit<T, K> => {
  const rest = Object.entries(value).filter(([name]) => !fields.some((field) => field === name))
  // What is left has every other field of the value.
  return Object.fromEntries(rest) as Omit<T, K>
}
