import { eq, sql } from 'drizzle-orm'
import type { Database, Queries, Statement } from '#dashboard/db/client.ts'
import type { SiteRow } from '#dashboard/db/rows.ts'
import { sites } from '#dashboard/db/schema.ts'

import { notFound } from '#shared/errors.ts'
import type { OperationType } from '#shared/operation-types/index.ts'

/** Throws 404 when it is gone. */
export async function getSiteById(db: Database, id: number): Promise<SiteRow> {
  const [row] = await db.read.select().from(sites).where(eq(sites.id, id))
  if (!row) throw notFound('Site')
  return row
}

/** The state of a site while an operation of the type works on it. */
export function siteStatements(
  queries: Queries,
  type: OperationType,
  site_id: number,
): Statement[] {
  const values = STATES[type]
  return values ? [queries.update(sites).set(values).where(eq(sites.id, site_id))] : []
}

const STATES: Partial<Record<OperationType, Record<string, unknown>>> = {
  'site.create': { status: 'provisioning', status_reason: '' },
  'site.delete': { former_status: sql`status`, status: 'deleting' },
  'site.restore': { former_status: sql`status`, status: 'provisioning' },
  'site.purge': { former_status: sql`status`, status: 'deleting' },
}
