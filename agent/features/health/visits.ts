import { certificateOf } from '#agent/features/web/nginx.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Visit } from '#agent/kernel/host/visit-port.ts'
import type { Verdict } from '#shared/health/page-verdict.ts'
import { AGAIN_MS, type Looking } from './look.ts'
import { checkPage } from './page.ts'
import { isWorthVisiting } from './verdict.ts'
import { visitAll } from './visit-all.ts'
import { isVisitDue, type Watched } from './watched.ts'

const MAX_CONCURRENT = 16

/**
 * Requests the due front pages, past every cache; a changed result counts when it is repeated.
 * `beside`: the number of other sites that share the time.
 */
export async function visit(
  host: Host,
  sites: readonly Watched[],
  { isBusy, beside }: Pick<Looking, 'isBusy'> & { beside: number },
): Promise<void> {
  const now = host.clock.elapsed()
  const isFree = ({ site, verdicts }: Watched) =>
    isWorthVisiting(verdicts) && !isBusy(site.domain) && !site.settings?.maintenance
  const due = sites
    .filter((watched) => isFree(watched) && isVisitDue(watched, now, sites.length + beside))
    .sort((one, other) => one.visited_at - other.visited_at)
    .slice(0, MAX_CONCURRENT)
  const before = new Map<Watched, Verdict>()
  for (const { watched, verdict } of await visitFree(host, due)) {
    // A new site that is up counts immediately.
    if (verdict.state !== (watched.verdicts.http?.state ?? 'up')) before.set(watched, verdict)
    else if (isFree(watched)) watched.verdicts = { ...watched.verdicts, http: verdict }
  }
  if (before.size === 0) return
  await host.clock.sleep(AGAIN_MS)
  const again = [...before.keys()].filter(isFree)
  for (const { watched, verdict } of await visitFree(host, again)) {
    if (before.get(watched)?.state === verdict.state && isFree(watched))
      watched.verdicts = { ...watched.verdicts, http: verdict }
  }
}

async function visitFree(host: Host, sites: readonly Watched[]) {
  const visits: { watched: Watched; visit: Visit }[] = []
  for (const watched of sites) {
    const { domain } = watched.site
    const tls = (await certificateOf(host, domain)) !== undefined
    // A parameter that no cache knows: neither nginx nor a plugin answers in place of the site.
    const path = `/?hosting-health=${host.random.text(12)}`
    visits.push({ watched, visit: { host: domain, path, tls } })
  }
  return visitAll(host, visits, checkPage)
}
