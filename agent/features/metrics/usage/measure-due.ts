import { databaseSize } from '#agent/kernel/database/dump.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { findSite, listSites, type Site } from '#agent/kernel/site/sites.ts'
import { diskLimits } from '#agent/kernel/site/tiers.ts'
import { measureBytes, measureFiles } from './measure.ts'
import { readUsage, recordUsage, type UsageMeasurement } from './records.ts'

const HOUR_MS = 3_600_000
/** The share of a limit from which on a site is measured hourly, as after a failure. */
const NEAR = 0.8
const DEFAULT_MS = 6 * HOUR_MS

/**
 * Measures the due sites, one after the other, and rests after each for as long as that took.
 * `report` receives the error of a site; the others are measured all the same.
 */
export async function measureDue(host: Host, report: (error: unknown) => void): Promise<void> {
  const sites = await listSites(host)
  const users = new Set(sites.map(({ user }) => user))
  const known = await readUsage(host)
  for (const site of sites) {
    if (!isDue(site, known[site.user], host.clock.now())) continue
    const started = host.clock.elapsed()
    await measureSite(host, users, site).catch(report)
    await host.clock.sleep(host.clock.elapsed() - started)
  }
}

async function measureSite(host: Host, users: ReadonlySet<string>, { domain, user }: Site) {
  if ((await findSite(host, domain))?.user !== user) return
  const bytes = await measureBytes(host, user, { idle: true })
  const files = bytes === null ? null : await measureFiles(host, user, { idle: true })
  const database_bytes = await databaseSize(host, user).then(
    (size) => size ?? 0,
    () => null,
  )
  const measured_at = new Date(host.clock.now()).toISOString()
  await recordUsage(host, users, { [user]: { bytes, files, database_bytes, measured_at } })
}

/** Returns whether a measurement is due; a time in the future comes from a wrong clock. */
function isDue(site: Site, measured: UsageMeasurement | undefined, now: number): boolean {
  if (!measured) return true
  const age = now - Date.parse(measured.measured_at)
  return age < 0 || age >= (isNear(site, measured) ? HOUR_MS : DEFAULT_MS)
}

function isNear({ tier }: Site, { bytes, files, database_bytes }: UsageMeasurement): boolean {
  if (bytes === null || files === null) return true
  const limits = diskLimits(tier)
  return bytes + (database_bytes ?? 0) >= NEAR * limits.bytes || files >= NEAR * limits.files
}
