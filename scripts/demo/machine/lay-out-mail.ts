import { MAIL_PROCESSES } from '#agent/features/mail/service.ts'
import {
  NO_SERVER_SETTING,
  newSiteSetting,
  type ServerSetting,
} from '#agent/features/mail/setting.ts'
import { EMPTY } from '#agent/kernel/host/simulated/nodes.ts'
import { MAIL_PATHS } from '#agent/kernel/mail/paths.ts'
import { isServed, type ServerPlan } from '#scripts/demo/fleet/plan.ts'
import { stamp } from '#scripts/demo/time.ts'
import type { SiteMail } from '#shared/mail/mail.ts'
import { type MailCounts, NO_MAIL } from '#shared/mail/mail.ts'
import type { Machine } from './machine.ts'

/** The relay has no password, which nothing in the demo would accept. */
export const DEMO_RELAY = {
  ...{ host: 'smtp.relay.example', port: 587, user: 'agency' },
  tls: 'starttls',
} as const

/** Most servers have a relay; an old one has none. */
export const hasMail = ({ role }: Pick<ServerPlan, 'role'>): boolean =>
  !['pending', 'legacy', 'foreign'].includes(role)

/** Lays out the relay of a server, and the queue of each of its sites. */
export function layOutMail(machine: Machine): void {
  const { plan, disk } = machine
  if (!hasMail(plan)) return
  const setting: ServerSetting = {
    ...NO_SERVER_SETTING,
    relay: { ...DEMO_RELAY, password: 'demo' },
    from_address: null,
  }
  disk.putText(MAIL_PATHS.server, JSON.stringify(setting), { mode: 0o640 })
  disk.putText(MAIL_PROCESSES, '901\n')
  for (const [at, site] of servedBy(plan).entries()) {
    disk.putText(MAIL_PATHS.site(site.user), () => JSON.stringify(newSiteSetting(site.domain)))
    disk.put(MAIL_PATHS.socketFolder(site.user), EMPTY)
    if (at % 3 !== 2) {
      disk.putText(MAIL_PATHS.statusOf(site.user), () =>
        statusOf(countsOf(plan, at, machine.time.now())),
      )
    }
  }
}

/** Returns what the queue of a server reports of its sites. */
export function mailOf(plan: ServerPlan, now: number): SiteMail[] {
  if (!hasMail(plan)) return []
  return servedBy(plan).flatMap(({ domain }, at) =>
    at % 3 === 2 ? [] : [{ ...countsOf(plan, at, now), domain }],
  )
}

const servedBy = ({ sites }: ServerPlan) => sites.filter(isServed)

const BOUNCED = {
  ...{ recipient: 'old.customer@example.org', answer: '550 5.1.1 User unknown', expired: false },
}

const statusOf = (shown: MailCounts) => JSON.stringify({ hours: [], shown })

function countsOf(plan: ServerPlan, at: number, now: number): MailCounts {
  const site = servedBy(plan)[at]
  const ago = (minutes: number) => stamp(now - minutes * 60_000)
  const sent_day = 4 + ((at * 37 + (site?.age ?? 0)) % 60)
  return {
    ...NO_MAIL,
    ...{ sent_day, sent_hour: at % 5, last_sent_at: ago(7 + at) },
    ...(at === 1 && {
      failed_day: 1,
      failures: [{ at: ago(95), ...BOUNCED }],
    }),
    ...(plan.role === 'failed' &&
      at === 3 && {
        queued: 4,
        oldest_at: ago(5 * 60 + 12),
        problem: { at: ago(3), answer: '535 5.7.8 Error: authentication failed' },
      }),
    ...(plan.role === 'flaky' && {
      queued: 3,
      oldest_at: ago(26),
      problem: { at: ago(2), answer: '421 4.7.0 Too many connections, try again later' },
    }),
  }
}
