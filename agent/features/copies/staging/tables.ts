import type { Baseline } from '#agent/kernel/baseline/baseline.ts'
import type { TableDigest } from '#agent/kernel/database/digests.ts'

/** The changes of a table since it was the same on the live and the staging site. */
export interface ComparedTable {
  name: string
  /** The number of rows on the live site; null when it does not have the table. */
  live_rows: number | null
  /** The number of rows on the staging site; null when it does not have the table. */
  staging_rows: number | null
  live_changed: boolean
  staging_changed: boolean
}

interface ComparedSites {
  live: readonly TableDigest[]
  staging: readonly TableDigest[]
  /** The earlier digests of both sites; if undefined, each table counts as changed. */
  baseline: Baseline | undefined
}

const byName = (tables: readonly TableDigest[] = []) =>
  new Map(tables.map((table) => [table.table, table]))

/** Compares the tables of both sites, sorted by name. */
export function compareTables({ live, staging, baseline }: ComparedSites): ComparedTable[] {
  const [lives, copies] = [byName(live), byName(staging)]
  const [livesThen, copiesThen] = [byName(baseline?.live), byName(baseline?.staging)]
  const isSame = (one: TableDigest | undefined, other: TableDigest | undefined) =>
    baseline !== undefined && one?.sha256 === other?.sha256
  return [...new Set([...lives.keys(), ...copies.keys()])].sort().map((name) => ({
    name,
    live_rows: lives.get(name)?.rows ?? null,
    staging_rows: copies.get(name)?.rows ?? null,
    live_changed: !isSame(lives.get(name), livesThen.get(name)),
    staging_changed: !isSame(copies.get(name), copiesThen.get(name)),
  }))
}

/** Returns the tables whose changes on the live site a push would lose. */
export const changedOnLive = (
  live: readonly TableDigest[],
  baseline: Baseline | undefined,
  tables: readonly string[],
): string[] =>
  compareTables({ live, staging: [], baseline })
    .filter(({ name, live_changed }) => live_changed && tables.includes(name))
    .map(({ name }) => name)
