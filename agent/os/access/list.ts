import type { Host } from '#agent/host/ports.ts'
import { listSites, type Site } from '#agent/os/site/sites.ts'
import type { ReportedAccess } from '#shared/site-access.ts'
import { isMember } from './access.ts'
import { grantsOf, renderKeys } from './keys.ts'
import { keysOf } from './places.ts'

/** Who can log in to which site. A changed file of keys counts as one without keys. */
export async function listAccess(host: Host): Promise<ReportedAccess[]> {
  const all: ReportedAccess[] = []
  for (const site of await listSites(host)) {
    const { domain, access = [] } = site
    if (access.length === 0) continue
    const grants = grantsOf(access)
    const isWhole = await isInPlace(host, site)
    all.push({ domain, grants: isWhole ? grants : grants.map(withoutKeys) })
  }
  return all
}

const withoutKeys = (grant: ReportedAccess['grants'][number]) => ({ ...grant, fingerprints: [] })

async function isInPlace(host: Host, { user, access = [] }: Site): Promise<boolean> {
  const text = await host.files.read(keysOf(user))
  return text === renderKeys(access) && (await isMember(host, user))
}
