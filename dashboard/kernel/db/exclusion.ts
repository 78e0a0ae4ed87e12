import { sql } from 'drizzle-orm'
import { type SQLiteColumn, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { Exclusion } from '#shared/kernel/values.ts'
import { OPERATION_TYPES, type OperationType } from '#shared/operation-types.ts'

export const IS_ACTIVE = "status in ('queued', 'running')"

const LET_RUN = "backup_first is not 'waits'"

/**
 * Sets of operations, as conditions on `excludes` and `backup_first`: a site has at most one active
 * operation of each set, which a unique index decides. One that waits for a backup of its site lets it
 * run.
 */
const EXCLUSIVE = {
  one_per_site: "excludes in ('same_site', 'same_site_except_backup')",
  one_beside_backup: `${LET_RUN} and excludes in ('same_site', 'changes_of_site')`,
  one_of_type: "excludes = 'same_type'",
} as const

export const CHANGES_SITE = EXCLUSIVE.one_per_site

/** Whether an active operation changes a site, as in the index that allows one. */
export const OPERATING = sql.raw(`exists (select 1 from operations
  where site_id = sites.id and ${CHANGES_SITE} and ${IS_ACTIVE})`)

/** Returns the columns of each index, and the condition of its set. */
export function exclusiveIndexes({ site_id, type }: { site_id: SQLiteColumn; type: SQLiteColumn }) {
  const active = (set: string) => sql.raw(`${set} and ${IS_ACTIVE}`)
  return [
    uniqueIndex('operations_one_per_site').on(site_id).where(active(EXCLUSIVE.one_per_site)),
    uniqueIndex('operations_one_beside_backup')
      .on(site_id)
      .where(active(EXCLUSIVE.one_beside_backup)),
    uniqueIndex('operations_one_of_type').on(site_id, type).where(active(EXCLUSIVE.one_of_type)),
  ]
}

export function excludesOf(type: OperationType): Exclusion {
  const { target, excludes } = OPERATION_TYPES[type]
  return excludes ?? (target === 'server' ? 'nothing' : 'same_site')
}

/** Returns the condition for the operations that exclude one of this type on the same site. */
export function exclusiveWith(type: OperationType): string {
  const conditions: Record<Exclusion, string> = {
    same_site: "excludes in ('same_site', 'same_site_except_backup', 'changes_of_site')",
    same_site_except_backup: EXCLUSIVE.one_per_site,
    changes_of_site: EXCLUSIVE.one_beside_backup,
    same_type: `type = '${type}'`,
    all_of_server: 'true',
    nothing: 'false',
  }
  return conditions[excludesOf(type)]
}
