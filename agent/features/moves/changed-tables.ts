import type { DefinedTable } from '#agent/kernel/database/digests.ts'

/** Returns the sorted names of the tables that are not the same on both sides. */
export function changedTables(
  expected: readonly DefinedTable[],
  present: readonly DefinedTable[],
): string[] {
  const digests = (all: readonly DefinedTable[]) =>
    new Map(
      all.map(({ table, rows, sha256, definition }) => [table, `${rows} ${sha256} ${definition}`]),
    )
  const [one, other] = [digests(expected), digests(present)]
  const names = new Set([...one.keys(), ...other.keys()])
  return [...names].filter((name) => one.get(name) !== other.get(name)).sort()
}
