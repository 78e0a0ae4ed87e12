import { readdress } from '#agent/features/wordpress/addresses/config.ts'
import { loadDump } from '#agent/features/wordpress/addresses/load.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { chosenIn, dumpIn, fetchedOf } from './places.ts'

/** A backup of the time at which the site had another primary domain gets the present addresses. */
export async function rewriteFetched(host: Host, site: Site, domain: string): Promise<number> {
  const folder = fetchedOf(site.user)
  let count = 0
  for (const path of [dumpIn(folder), chosenIn(folder)]) {
    if (!(await host.files.stat(path))) continue
    const into = { path: `${path}.new` }
    const { addresses } = await loadDump(host, path, { domain, user: site.user }, site, into)
    await host.files.rename(into.path, path)
    count += addresses.replaced
  }
  return count
}

/** The same for the configuration files that were restored. */
export const readdressRestored = (host: Host, site: Site, domain: string): Promise<void> =>
  readdress(host, { domain, user: site.user }, site)
