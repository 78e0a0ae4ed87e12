import { compareFiles } from '#agent/features/copies/staging/compare-files.ts'
import { compareTables } from '#agent/features/copies/staging/tables.ts'
import { findBaseline } from '#agent/kernel/baseline/baseline.ts'
import { databaseDigests } from '#agent/kernel/database/digests.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { command } from '#agent/kernel/steps/command.ts'
import { MAX_TABLES } from '#shared/copies/site.compare.ts'
import { conflict } from '#shared/kernel/errors.ts'

/** Only reads, with the rights of each site. */
export const siteCompare = command('site.compare', {
  lock: () => undefined,
  check: ({ domain, from }, host) => getPair(host, domain, from),
  steps: () => [],
  async *result({ params: { domain, from }, host, live, staging }) {
    yield 'Comparing the files'
    const baseline = await findBaseline(host, from, domain)
    const files = await compareFiles(host, live, staging, baseline?.files)
    yield `Comparing the tables of ${domain}`
    const own = await databaseDigests(host, live)
    yield `Comparing the tables of ${from}`
    const other = await databaseDigests(host, staging)
    const tables = compareTables({ live: own, staging: other, baseline })
    return { domain, from, files, tables: tables.slice(0, MAX_TABLES) }
  },
})

/** Throws conflict for a site that is not a staging site of the live one. */
export async function getPair(
  host: Host,
  domain: string,
  from: string,
): Promise<{ live: Site; staging: Site }> {
  const [live, staging] = [await getSite(host, domain), await getSite(host, from)]
  if (staging.staging?.of === domain) return { live, staging }
  throw conflict(`${from} is not a staging site of ${domain}`)
}
