import {
  listMailTroubles,
  listReportTroubles,
  listSitesNamed,
  listSitesWith,
} from '#dashboard/features/mail/troubles.queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { MailTrouble } from '#dashboard/kernel/db/mail-trouble.ts'
import { seesServer, type Visible } from '#dashboard/kernel/http/visible.ts'
import { ageOf, isDue } from '#shared/kernel/age.ts'
import { type Attention, type AttentionItem, SHOWN } from '#shared/overview/api/attention.ts'
import { counted, groupOf, lowerFirst, serverItem, siteItem, withAdvice } from './item.ts'

type MailServer = Awaited<ReturnType<typeof listMailTroubles>>[number]
type MailFinding = Pick<AttentionItem, 'severity' | 'reason' | 'at'>

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** The time after which a refusal counts: a relay may defer messages for a moment. */
const REFUSING_MS = 15 * MINUTE_MS
const LATE_MS = 4 * HOUR_MS
/** The days for which a report that was not sent is an item. */
const REPORT_DAYS = 40

/** Returns the undelivered mail of sites: one item for each server, or for its only such site. */
export async function mailTroubles(
  db: Database,
  now: Date,
  visible?: Visible,
): Promise<Attention[]> {
  const reported = await visibleOf(db, await listMailTroubles(db), visible)
  const servers = reported.flatMap((server) => serversWithTroubles(server, now))
  const alone = servers.flatMap(({ sites }) => (sites.length === 1 ? sites : []))
  const known = await listSitesNamed(
    db,
    alone.map(({ domain }) => domain),
  )
  const found = servers.map(({ server, sites }) => {
    const [worst] = sites
    const site = known.find((one) => one.server_id === server.id && one.domain === worst.domain)
    return sites.length === 1 && site ? siteItem(site, worst.finding) : summaryOf(server, sites)
  })
  return groupOf('mail', found)
}

/** Leaves out the sites that a caller may not see. */
async function visibleOf(
  db: Database,
  servers: readonly MailServer[],
  visible: Visible | undefined,
): Promise<readonly MailServer[]> {
  if (!visible) return servers
  const own = await listSitesWith(db, visible.site_ids)
  return servers.map((server) => {
    const sites = server.troubles.sites.filter(
      ({ domain }) =>
        seesServer(visible, server.id) ||
        own.some((site) => site.server_id === server.id && site.domain === domain),
    )
    return { ...server, troubles: { ...server.troubles, sites } }
  })
}

/** Returns the reports for clients that were not sent, or perhaps not, until somebody sends them. */
export async function reportTroubles(
  db: Database,
  now: Date,
  visible?: Visible,
): Promise<Attention[]> {
  const since = new Date(now.getTime() - REPORT_DAYS * DAY_MS).toISOString()
  const found = await listReportTroubles(db, { since, limit: SHOWN, visible })
  const items = found.map(({ month, state, answer, at, total: _, ...site }) => {
    const reason =
      state === 'failed'
        ? withAdvice(
            `The report of ${month} was refused (${short(answer)})`,
            'check SMTP_URL and the recipients, then send it on its page',
          )
        : withAdvice(
            `Whether the report of ${month} was sent is unclear (${short(answer)})`,
            'ask a recipient, or send it again on its page',
          )
    return siteItem(site, { severity: 'warning', reason, at })
  })
  return groupOf('report_mail', items, found[0]?.total ?? 0)
}

interface SiteFinding {
  domain: string
  finding: MailFinding
}
type SiteFindings = [SiteFinding, ...SiteFinding[]]

function serversWithTroubles(
  server: MailServer,
  now: Date,
): { server: MailServer; sites: SiteFindings }[] {
  const sites = server.troubles.sites.flatMap((site) => {
    const finding = undelivered(site, now.getTime())
    return finding ? [{ domain: site.domain, finding }] : []
  })
  const [first, ...rest] = sites.toSorted((one, other) => rank(one) - rank(other))
  return first ? [{ server, sites: [first, ...rest] }] : []
}

const rank = ({ finding }: SiteFinding) => (finding.severity === 'critical' ? 0 : 1)

function summaryOf(server: MailServer, sites: SiteFindings): AttentionItem {
  const [{ domain, finding }] = sites
  const reason = `Mail of ${counted(sites.length, 'site')} is not delivered, such as that of ${domain}: ${lowerFirst(finding.reason)}`
  return serverItem(server, { ...finding, reason })
}

function undelivered(site: MailTrouble, now: number): MailFinding | undefined {
  return expired(site, now) ?? waiting(site, now) ?? refused(site, now)
}

function expired({ failures }: MailTrouble, now: number): MailFinding | undefined {
  const recent = failures.filter((one) => one.expired && !isDue(one.at, DAY_MS, now))
  const [last] = recent
  if (!last) return undefined
  const whom = counted(recent.length, 'recipient')
  const reason = `Mail to ${whom} could not be delivered (${short(last.answer)}): check the relay in its mail settings`
  return { severity: 'critical', reason, at: last.at }
}

function waiting(site: MailTrouble, now: number): MailFinding | undefined {
  const { queued, oldest_at, held, problem } = site
  if (queued === 0 || oldest_at === null) return undefined
  // A message of the future is as old as one that is critical.
  const age = ageOf(oldest_at, now) ?? DAY_MS
  const what = `${counted(queued, 'message')} ${queued === 1 ? 'waits' : 'wait'}`
  if (problem !== '' && age >= REFUSING_MS) {
    const reason = `${what}, since the relay refuses all mail (${short(problem)}): check the relay in its mail settings`
    return { severity: age >= DAY_MS ? 'critical' : 'warning', reason, at: oldest_at }
  }
  if (age < LATE_MS) return undefined
  const why = held
    ? 'since the site sends more than its limit an hour: raise the limit, or look for spam'
    : `for more than ${Math.floor(age / HOUR_MS)} hours: look at its mail for the answers of the relay`
  return { severity: 'warning', reason: `${what} ${why}`, at: oldest_at }
}

/** Returns refused mail. A missing mailbox is not a problem: other mail was delivered meanwhile. */
function refused({ failures, last_sent_at }: MailTrouble, now: number): MailFinding | undefined {
  const recent = failures.filter((one) => !one.expired && !isDue(one.at, DAY_MS, now))
  const [last] = recent
  const first = recent.at(-1)
  if (!last || !first || (last_sent_at !== null && last_sent_at >= first.at)) return undefined
  const whom = counted(recent.length, 'recipient')
  const reason = `The relay refused its mail to ${whom} and has accepted none since (${short(last.answer)}): check the sender and the relay in its mail settings`
  return { severity: 'warning', reason, at: first.at }
}

const short = (text: string) => (text.length > 160 ? `${text.slice(0, 159)}…` : text)
