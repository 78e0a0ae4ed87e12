import { ATTACKS } from '#agent/os/isolation/attacks/index.ts'
import { keptOf } from '#dashboard/agents/ask-web.ts'
import type { mail_settings, server_mail } from '#dashboard/db/mail-schema.ts'
import { mailTroublesOf } from '#dashboard/db/mail-trouble.ts'
import type { isolation_checks } from '#dashboard/db/schema.ts'
import type { server_web } from '#dashboard/db/web-schema.ts'
import type { Fleet } from '#scripts/demo/fleet/fleet.ts'
import { WEAKNESS } from '#scripts/demo/machine/canary.ts'
import { DEMO_RELAY, hasMail, mailOf } from '#scripts/demo/machine/lay-out-mail.ts'
import { DAY_MS, HOUR_MS, stamp } from '#scripts/demo/time.ts'

const RULES = { enabled: true, from_address: null, rewrite_from: null, hourly_limit: null }

/** The web servers of each server at its last sync. */
export async function webRows({ members }: Fleet, now: number) {
  const rows: (typeof server_web.$inferInsert)[] = []
  for (const [index, { agent, plan }] of members.entries()) {
    if (plan.role === 'pending') continue
    const web = keptOf(await agent.ask('GET /web', {}))
    rows.push({ server_id: index + 1, web, at: stamp(now) })
  }
  return rows
}

/** The relay of each server that has one. */
export function mailRows({ plan: { servers } }: Fleet, now: number) {
  const setting = { ...RULES, relay: DEMO_RELAY }
  const rest = { site_id: null, setting, updated_at: stamp(now - 40 * DAY_MS) }
  return servers.flatMap((server, at): (typeof mail_settings.$inferInsert)[] =>
    hasMail(server) ? [{ server_id: at + 1, ...rest }] : [],
  )
}

/** The mail state of each server at its last sync. */
export function mailReports({ plan: { servers } }: Fleet, now: number) {
  return servers.map((server, index): typeof server_mail.$inferInsert => ({
    ...{ server_id: index + 1, troubles: mailTroublesOf(mailOf(server, now)), at: stamp(now) },
  }))
}

/** The weekly check of each server that has sites, some days ago. */
export function isolationRows({ plan: { servers } }: Fleet, now: number) {
  return servers.flatMap(({ role, sites }, at): (typeof isolation_checks.$inferInsert)[] => {
    if (role === 'pending' || sites.length === 0) return []
    const results = Object.entries(ATTACKS).map(([id, { title }]) => ({
      ...{ id, title, outcome: 'refused' as const, detail: '' },
      ...(role === 'legacy' && id === WEAKNESS.id && WEAKNESS.verdict),
    }))
    return [
      { server_id: at + 1, checked_at: stamp(now - (20 + ((at * 31) % 120)) * HOUR_MS), results },
    ]
  })
}
