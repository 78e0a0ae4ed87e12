import { listAllHolders } from '#dashboard/features/domains/names.queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { breathe, piecesOf } from '#dashboard/kernel/runtime/breathe.ts'
import { apexOf } from '#shared/kernel/names.ts'
import type { KnownSite } from './queries.ts'
import type { ForeignNames, Found } from './sync-plan.ts'

const PIECE = 500

/**
 * Returns the first name of each managed site that its server reports and that another managed site
 * has, on this server or another one.
 */
export async function foreignNames(
  db: Database,
  records: readonly KnownSite[],
  { sites }: Found,
): Promise<ForeignNames> {
  const reported = records.flatMap(({ id, domain, apex, found, operating }) => {
    const names = found || operating ? [] : (sites.get(domain)?.names ?? [])
    const others = names.filter((name) => apexOf(name.toLowerCase()) !== apex)
    return others.map((name) => ({ id, domain, name, apex: apexOf(name.toLowerCase()) }))
  })
  const foreign = new Map<string, { name: string; domain: string }>()
  for (const some of piecesOf(reported, PIECE)) {
    const holders = await listAllHolders(db, [...new Set(some.map(({ apex }) => apex))])
    for (const { id, domain, name, apex } of some) {
      const holder = holders.find((one) => one.apex === apex && one.site_id !== id)
      if (holder && !foreign.has(domain)) foreign.set(domain, { name, domain: holder.domain })
    }
    await breathe()
  }
  return foreign
}
