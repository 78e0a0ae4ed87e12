import type { Host } from '../../host/ports.ts'
import type { Visit } from '../../host/visit-port.ts'
import { certificateOf } from '../nginx.ts'
import { AGAIN_MS, type Looking } from './look.ts'
import { checkPage } from './page.ts'
import { isWorthVisiting, type Verdict } from './verdict.ts'
import { isVisitDue, type Watched } from './watched.ts'

const MOST_AT_ONCE = 16

/** Asks for the front pages that are due, past every cache; what differs counts when it does so twice. */
export async function visit(
  host: Host,
  sites: readonly Watched[],
  { isBusy }: Pick<Looking, 'isBusy'>,
): Promise<void> {
  const now = host.clock.elapsed()
  const isFree = ({ site, verdicts }: Watched) => isWorthVisiting(verdicts) && !isBusy(site.domain)
  const due = sites
    .filter((watched) => isFree(watched) && isVisitDue(watched, now, sites.length))
    .sort((one, other) => one.visited_at - other.visited_at)
    .slice(0, MOST_AT_ONCE)
  const before = new Map<Watched, Verdict>()
  for (const { watched, verdict } of await visitAll(host, due)) {
    if (isNews(watched, verdict)) before.set(watched, verdict)
    else if (isFree(watched)) watched.verdicts = { ...watched.verdicts, http: verdict }
  }
  if (before.size === 0) return
  await host.clock.sleep(AGAIN_MS)
  const again = [...before.keys()].filter(isFree)
  for (const { watched, verdict } of await visitAll(host, again)) {
    if (before.get(watched)?.state === verdict.state && isFree(watched))
      watched.verdicts = { ...watched.verdicts, http: verdict }
  }
}

/** Another state than the one on record; that a new site is up is believed at once. */
function isNews({ verdicts: { http } }: Watched, { state }: Verdict): boolean {
  return state !== (http?.state ?? 'up')
}

async function visitAll(host: Host, sites: readonly Watched[]) {
  const visits: Visit[] = []
  for (const { site } of sites) visits.push(await visitOf(host, site.domain))
  const outcomes = await host.visitor.visit(visits)
  return sites.flatMap((watched, place) => {
    const [outcome, asked] = [outcomes[place], visits[place]]
    if (!outcome || !asked) return []
    watched.traffic.visited()
    watched.visited_at = host.clock.elapsed()
    watched.visit_ms = outcome.ms
    return [{ watched, verdict: checkPage(outcome, urlOf(asked)) }]
  })
}

/** A parameter that no cache knows: neither nginx nor a plugin answers in place of the site. */
async function visitOf(host: Host, domain: string): Promise<Visit> {
  const tls = (await certificateOf(host, domain)) !== undefined
  return { host: domain, path: `/?hosting-health=${host.random.text(12)}`, tls }
}

const urlOf = ({ host, tls, path }: Visit) => `${tls ? 'https' : 'http'}://${host}${path}`
