/** A value that can be chosen, and its name. */
export interface Option<T = string> {
  value: T
  name: string
}

/** Options that are named as their values. */
export const named = <T extends string | number>(...values: readonly T[]): Option<T>[] =>
  values.map((value) => ({ value, name: String(value) }))

/** The options of a table with the name of each value. */
export const optionsOf = <T extends string>(names: Readonly<Record<T, string>>): Option<T>[] =>
  (Object.keys(names) as T[]).map((value) => ({ value, name: names[value] }))

/** Options for records with a name, such as servers. */
export const optionsFor = (records: readonly { id: number; name: string }[]): Option<number>[] =>
  records.map(({ id, name }) => ({ value: id, name }))
