import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { certificateOf, reloadTested, vhostTextOf } from './nginx.ts'
import { listServers } from './nginx-servers.ts'
import { renderFrozen } from './vhost.ts'
import { availablePath, isFrozen, servingPathOf } from './vhost-files.ts'

/** Answers every request with 503 until `unfreeze`. */
export async function freeze(host: Host, site: Site): Promise<void> {
  const { domain } = site
  const certificate = await certificateOf(host, domain)
  const text = await vhostTextOf(host, { site, certificate }, await listServers(host), renderFrozen)
  await host.exclusive('nginx', async () => {
    const served = await host.files.read(availablePath(domain))
    if (served === undefined || (await isFrozen(host, domain))) return
    await host.files.write(servingPathOf(domain), served)
    await host.files.write(availablePath(domain), text)
    await reloadTested(host)
  })
}

/** Serves the site again; does nothing for a site that is not frozen. */
export const unfreeze = (host: Host, domain: string): Promise<void> =>
  host.exclusive('nginx', async () => {
    if (!(await isFrozen(host, domain))) return
    await host.files.rename(servingPathOf(domain), availablePath(domain))
    await reloadTested(host)
  })
