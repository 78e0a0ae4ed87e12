import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { ServerRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import type {
  MailSettingView,
  ServerMailView,
  SiteMailCounts,
  SiteMailView,
} from '#shared/mail/api/mail.ts'
import type { Mail } from '#shared/mail/mail.ts'
import { NO_MAIL } from '#shared/mail/mail.ts'
import { mailReading } from '#shared/mail/readings.ts'
import { findMail, idsByDomain, type MailTarget } from './queries.ts'

type Deps = Pick<CommonDeps, 'db'> & { agents: Agents }

const UNSET: MailSettingView = {
  enabled: true,
  relay: null,
  from_address: null,
  rewrite_from: null,
  hourly_limit: null,
  updated_at: null,
}

async function settingOf(db: Database, target: MailTarget): Promise<MailSettingView> {
  const found = await findMail(db, target)
  if (!found) return UNSET
  const { setting, password_sealed, updated_at } = found
  const has_password = password_sealed !== ''
  return { ...setting, relay: setting.relay && { ...setting.relay, has_password }, updated_at }
}

/** Reads the mail report of a server; undefined when the agent is offline or has no queue yet. */
async function reportOf({ agents }: Deps, server: ServerRow): Promise<Mail | undefined> {
  const read = await agents.call(server, mailReading, {}).catch(() => undefined)
  return read && { running: read.beside.running, sites: read.entries }
}

export async function showServerMail(deps: Deps, server: ServerRow): Promise<ServerMailView> {
  const [setting, report, ids] = await Promise.all([
    settingOf(deps.db, { server_id: server.id, site_id: null }),
    reportOf(deps, server),
    idsByDomain(deps.db, server.id),
  ])
  const sites = report?.sites.map((counts) => ({
    ...counts,
    site_id: ids.get(counts.domain) ?? null,
  }))
  return {
    setting,
    sends: setting.enabled && setting.relay !== null,
    running: report?.running ?? null,
    sites: sites?.filter(isBusy) ?? null,
  }
}

const isBusy = ({ queued, caught, sent_day, ...counts }: SiteMailCounts) => {
  const { failed_day, refused_day, problem } = counts
  return queued + caught + sent_day + failed_day + refused_day > 0 || problem !== null
}

export async function showSiteMail(
  deps: Deps,
  server: ServerRow,
  { id, domain }: SiteRow,
): Promise<SiteMailView> {
  const [setting, inherited, report] = await Promise.all([
    settingOf(deps.db, { server_id: server.id, site_id: id }),
    settingOf(deps.db, { server_id: server.id, site_id: null }),
    reportOf(deps, server),
  ])
  const counts = report?.sites.find((site) => site.domain === domain)
  const relay = setting.relay ?? inherited.relay
  return {
    setting,
    server: inherited,
    sends: setting.enabled && inherited.enabled && relay !== null,
    running: report?.running ?? null,
    counts: report ? { ...NO_MAIL, ...counts, domain, site_id: id } : null,
  }
}
