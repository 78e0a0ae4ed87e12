import type { mail_settings, server_mail } from '#dashboard/db/mail-schema.ts'
import { mailTroublesOf } from '#dashboard/db/mail-trouble.ts'
import type { Fleet } from '#scripts/demo/fleet/fleet.ts'
import { DEMO_RELAY, hasMail, mailOf } from '#scripts/demo/machine/lay-out-mail.ts'

type NewReport = typeof server_mail.$inferInsert
type NewSetting = typeof mail_settings.$inferInsert

const RULES = { enabled: true, from_address: null, rewrite_from: null, hourly_limit: null }

/** The relay of each server that has one. */
export function mailRows({ plan: { servers } }: Fleet, now: number): NewSetting[] {
  const updated_at = new Date(now - 40 * 24 * 3_600_000).toISOString()
  const setting = { ...RULES, relay: DEMO_RELAY }
  return servers.flatMap((server, at) =>
    hasMail(server) ? [{ server_id: at + 1, site_id: null, setting, updated_at }] : [],
  )
}

/** The mail state of each server at its last sync. */
export function mailReports({ plan: { servers } }: Fleet, now: number): NewReport[] {
  const at = new Date(now).toISOString()
  return servers.map((server, index) => ({
    ...{ server_id: index + 1, troubles: mailTroublesOf(mailOf(server, now)), at },
  }))
}
