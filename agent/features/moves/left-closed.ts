import { hasClosed, openLogins } from '#agent/features/access/closing.ts'
import { isFrozen } from '#agent/features/web/vhost-files.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { listSites } from '#agent/kernel/site/sites.ts'

/**
 * At the start of the agent: systemd ended a freeze meanwhile, but could not open an account, for
 * instance because another program was changing accounts.
 */
export async function openLeftLogins(
  host: Host,
  isBusy: (domain: string) => boolean,
): Promise<void> {
  if (!(await hasClosed(host))) return
  for (const site of await listSites(host)) {
    const { domain, moving } = site
    if (moving?.closed || isBusy(domain) || (await isFrozen(host, domain))) continue
    await openLogins(host, site)
  }
}
