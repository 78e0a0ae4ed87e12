import { and, desc, eq, inArray, sql } from 'drizzle-orm'
import { restoreStatements } from '#dashboard/features/backups/restores.queries.ts'
import { storePrimary } from '#dashboard/features/domains/rename.queries.ts'
import { batch, type Database } from '#dashboard/kernel/db/client.ts'
import { IS_ACTIVE } from '#dashboard/kernel/db/exclusion.ts'
import { operations } from '#dashboard/kernel/db/operations-schema.ts'
import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { activities } from '#dashboard/kernel/db/schema.ts'
import { violatesNotNull, violatesUnique } from '#dashboard/kernel/db/violations.ts'
import type { NewPrimary } from '#shared/domains/primary-domain.ts'
import { apexOf } from '#shared/kernel/names.ts'
import type { SiteNames } from '#shared/kernel/site-names.ts'

/**
 * Returns the last change of the primary domain of each of these sites, if its result is unknown.
 * One that failed since, or never began, says nothing about it.
 */
export async function listUnknownRenames(
  db: Database,
  site_ids: readonly number[],
): Promise<OperationRow[]> {
  if (site_ids.length === 0) return []
  const rows = await db.read
    .select()
    .from(operations)
    .where(and(inArray(operations.site_id, [...site_ids]), eq(operations.type, 'site.rename')))
    .orderBy(desc(operations.created_at), desc(operations.id))
  const last = new Map<number | null, OperationRow>()
  for (const row of rows) {
    if (row.status !== 'success' && row.error?.code !== 'result_unknown') continue
    if (!last.has(row.site_id)) last.set(row.site_id, row)
  }
  return [...last.values()].filter(({ error }) => error?.code === 'result_unknown')
}

interface ConfirmedRename {
  operation: OperationRow
  site_id: number
  asked: NewPrimary & { domain: string }
  www: SiteNames['www']
}

/**
 * Records a confirmed rename with its activity, in one batch. Returns false, and changes nothing,
 * if the site has changed or has a new operation meanwhile, or if its new name is one of another
 * site by now.
 */
export async function settleRename(
  db: Database,
  { operation, site_id, asked, www }: ConfirmedRename,
  created_at: string,
): Promise<boolean> {
  const { id: operation_id, server_id, actor: user_id } = operation
  const apex = apexOf(asked.primary)
  const fits = sql<string>`(case when
    exists (select 1 from sites where id = ${site_id} and server_id = ${server_id}
      and domain = ${asked.domain} and status in ('active', 'missing'))
    and not exists (select 1 from operations where site_id = ${site_id} and ${sql.raw(IS_ACTIVE)})
    and not exists (select 1 from sites where apex = ${apex} and managed = 1 and id <> ${site_id})
    and not exists (select 1 from site_names where apex = ${apex} and site_id <> ${site_id})
    then 'site.rename' else null end)`
  try {
    await db.write((queries) =>
      batch(queries, [
        queries.insert(activities).values({
          type: fits,
          domain: asked.primary,
          status: 'success',
          created_at,
          server_id,
          operation_id,
          user_id,
        }),
        ...storePrimary({ www }, asked)(
          queries,
          { id: operation_id, server_id, site_id },
          created_at,
        ),
        ...restoreStatements(queries, site_id, null),
      ]),
    )
    return true
  } catch (error) {
    if (violatesNotNull(error, 'activities.type') || violatesUnique(error, 'sites.')) return false
    throw error
  }
}
