import { hasClosedAccounts, openLogins } from '#agent/features/access/login-closing.ts'
import { isFrozen } from '#agent/features/web/vhost-files.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { listSites } from '#agent/kernel/site/sites.ts'

/**
 * Reopens, at the start of the agent, accounts that systemd could not open when it ended a freeze,
 * for instance because another program was changing accounts.
 */
export async function reopenLeftoverLogins(
  host: Host,
  isBusy: (domain: string) => boolean,
): Promise<void> {
  if (!(await hasClosedAccounts(host))) return
  for (const site of await listSites(host)) {
    const { domain, moving } = site
    if (moving?.closed || isBusy(domain) || (await isFrozen(host, domain))) continue
    await openLogins(host, site)
  }
}
