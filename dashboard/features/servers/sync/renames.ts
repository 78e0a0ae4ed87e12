import { namesOf } from '#dashboard/features/domains/names.queries.ts'
import type { Base } from '#dashboard/kernel/db/base.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { COMMANDS } from '#shared/commands.ts'
import { namesAfter } from '#shared/domains/primary-domain.ts'
import type { KnownSite } from './queries.ts'
import { listUnknownRenames, settleRename } from './renames.queries.ts'
import type { Found } from './sync-plan.ts'

/**
 * A change of a primary domain whose result the dashboard never got: it has succeeded if the server
 * has the site under the name that was asked for, and not under the former one. Nothing else that an
 * agent reports gives a site another name. Returns a line for each.
 */
export async function settleRenames(
  { db, clock }: Pick<Base, 'db' | 'clock'>,
  records: readonly KnownSite[],
  found: Found,
): Promise<string[]> {
  if (!found.whole) return []
  const gone = records.filter(({ domain, status }) => isGone(status) && !found.sites.has(domain))
  const lines: string[] = []
  for (const operation of await listUnknownRenames(
    db,
    gone.map(({ id }) => id),
  )) {
    const record = gone.find(({ id }) => id === operation.site_id)
    const asked = COMMANDS['site.rename'].params.safeParse(operation.params).data
    if (!record || !asked || asked.domain !== record.domain) continue
    if (!isSame(record, found.sites.get(asked.primary))) continue
    const { www } = namesAfter(
      { domain: record.domain, names: await namesOf(db, record.id) },
      asked,
    )
    const settled = { operation, site_id: record.id, asked, www }
    if (await settleRename(db, settled, timestamp(clock)))
      lines.push(`The primary domain of ${asked.domain} was changed to ${asked.primary}`)
  }
  return lines
}

const isGone = (status: KnownSite['status']) => status === 'active' || status === 'missing'

/** The system user and the database of a site never change. */
const isSame = (
  record: KnownSite,
  site: Pick<KnownSite, 'user' | 'db_name'> | undefined,
): boolean =>
  site?.user === record.user && (record.db_name === '' || site.db_name === record.db_name)
