import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { certificateOf, reloadTested, textOf } from './nginx.ts'
import { servers } from './others.ts'
import { renderFrozen } from './vhost.ts'
import { availablePath, isFrozen, servingPathOf } from './vhost-files.ts'

/** Every request gets the answer 503 from now on; `thaw` ends it. */
export async function freeze(host: Host, site: Site): Promise<void> {
  const { domain } = site
  const certificate = await certificateOf(host, domain)
  const text = await textOf(host, { site, certificate }, await servers(host), renderFrozen)
  await host.exclusive('nginx', async () => {
    const served = await host.files.read(availablePath(domain))
    if (served === undefined || (await isFrozen(host, domain))) return
    await host.files.write(servingPathOf(domain), served)
    await host.files.write(availablePath(domain), text)
    await reloadTested(host)
  })
}

/** The opposite; nothing for a site that is not frozen. */
export const thaw = (host: Host, domain: string): Promise<void> =>
  host.exclusive('nginx', async () => {
    if (!(await isFrozen(host, domain))) return
    await host.files.rename(servingPathOf(domain), availablePath(domain))
    await reloadTested(host)
  })
