import { expect, test } from 'bun:test'
import { mailTroubles } from '#dashboard/features/overview/attention/mail.ts'
import { reportStatements } from '#dashboard/features/servers/reports.queries.ts'
import { batch } from '#dashboard/kernel/db/client.ts'
import { mailTroublesOf } from '#dashboard/kernel/db/mail-trouble.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import { type MailCounts, NO_MAIL } from '#shared/mail/mail.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const NOW = Date.parse('2026-03-10T12:00:00.000Z')
const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString()
const HOUR = 60

type Reported = Partial<MailCounts>

const failure = (minutes: number, expired: boolean, answer = '554 5.7.1 Relaying denied') => ({
  ...{ at: ago(minutes), recipient: 'ann@example.org', answer, expired },
})

/** The overview of one server whose agent reports this about its sites. */
async function itemsOf(
  reported: Record<string, Reported>,
  status: 'online' | 'offline' = 'online',
) {
  await using dashboard = await makeDashboard()
  const { body } = await dashboard.call('POST', '/api/servers', {
    hostname: 'a.example',
    name: 'a',
  })
  const server_id: number = body.server.id
  const kind = { php: '8.4', tier: 'small', tls: 'none', managed: true } as const
  const created_at = ago(9000)
  const rows = Object.keys(reported).map((domain) => ({
    ...{
      server_id,
      domain,
      apex: domain,
      user: 'shop',
      ...kind,
      status: 'active' as const,
      created_at,
    },
  }))
  const counts = Object.entries(reported).map(([domain, some]) => ({ ...NO_MAIL, ...some, domain }))
  const troubles = mailTroublesOf(counts)
  await dashboard.db.write((queries) =>
    batch(queries, [
      queries.update(servers).set({ status }),
      queries.insert(sites).values(rows),
      ...reportStatements(queries, { server_id, now: ago(1) }, { troubles }),
    ]),
  )
  const [group] = await mailTroubles(dashboard.db, new Date(NOW))
  return group?.items.map(({ severity, name, site_id, reason, at }) => ({
    ...{ severity, name, ofSite: site_id !== null, reason, at },
  }))
}

const refusing = { problem: { at: ago(1), answer: '535 5.7.8 Bad password' } }

test.each<[string, Reported]>([
  ['all is sent', { sent_day: 5, last_sent_at: ago(5) }],
  ['a relay is unreachable for a moment', { queued: 2, oldest_at: ago(14), ...refusing }],
  ['a mailbox is full for some hours', { queued: 1, oldest_at: ago(3 * HOUR) }],
  ['one of many does not exist', { failures: [failure(30, false)], last_sent_at: ago(5) }],
  ['it was given up long ago', { failures: [failure(25 * HOUR, true), failure(26 * HOUR, false)] }],
])('nothing is reported where %s', async (_, counts) => {
  expect(await itemsOf({ 'shop.example': counts })).toBeUndefined()
})

test.each<[string, Reported, 'warning' | 'critical', string, string]>([
  [
    'a relay that takes nothing',
    { queued: 3, oldest_at: ago(20), ...refusing },
    'warning',
    '3 messages wait, since the relay refuses all mail (535 5.7.8 Bad password): check the relay in its mail settings',
    ago(20),
  ],
  [
    'a relay that takes nothing for a day',
    { queued: 1, oldest_at: ago(24 * HOUR), ...refusing },
    'critical',
    '1 message waits, since the relay refuses all mail (535 5.7.8 Bad password): check the relay in its mail settings',
    ago(24 * HOUR),
  ],
  [
    'messages that wait for hours',
    { queued: 2, oldest_at: ago(5 * HOUR + 10) },
    'warning',
    '2 messages wait for more than 5 hours: look at its mail for the answers of the relay',
    ago(5 * HOUR + 10),
  ],
  [
    'a limit that is too low',
    { queued: 40, oldest_at: ago(4 * HOUR), held: true },
    'warning',
    '40 messages wait since the site sends more than its limit an hour: raise the limit, or look for spam',
    ago(4 * HOUR),
  ],
  [
    'mail that was given up',
    {
      failures: [failure(10, true, 'given up after 96 hours: 421 Full'), failure(12, true)],
      ...{ queued: 3, oldest_at: ago(20), ...refusing },
    },
    'critical',
    'Mail to 2 recipients could not be delivered (given up after 96 hours: 421 Full): check the relay in its mail settings',
    ago(10),
  ],
  [
    'a relay that refuses all of it',
    { failures: [failure(10, false), failure(50, false)], last_sent_at: ago(60) },
    'warning',
    'The relay refused its mail to 2 recipients and has accepted none since (554 5.7.1 Relaying denied): check the sender and the relay in its mail settings',
    ago(50),
  ],
])('%s is on the overview, with the site', async (_, counts, severity, reason, at) => {
  expect(await itemsOf({ 'shop.example': counts, 'blog.example': { sent_day: 1 } })).toEqual([
    { severity, name: 'shop.example', ofSite: true, reason, at },
  ])
})

test('several sites of a server are one item, with the worst of them', async () => {
  const waits = { queued: 1, oldest_at: ago(5 * HOUR) }
  const lost = { failures: [failure(10, true, 'given up after 96 hours: 421 Full')] }
  expect(await itemsOf({ 'b.example': waits, 'a.example': waits, 'z.example': lost })).toEqual([
    {
      ...{ severity: 'critical', name: 'a', ofSite: false, at: ago(10) },
      reason:
        'Mail of 3 sites is not delivered, such as that of z.example: mail to 1 recipient could not be delivered (given up after 96 hours: 421 Full): check the relay in its mail settings',
    },
  ])
})

test('an offline server is only reported as offline', async () => {
  expect(
    await itemsOf({ 'shop.example': { queued: 3, oldest_at: ago(600) } }, 'offline'),
  ).toBeUndefined()
})

test('keeps the longest waiting of thousands of sites', () => {
  const reported = Array.from({ length: 3000 }, (_, at) => ({
    ...{ ...NO_MAIL, domain: `s${at}.example`, queued: 1, oldest_at: ago(at) },
  }))
  const { sites: kept, total } = mailTroublesOf(reported)
  expect([total, kept.length, kept[0]?.domain]).toEqual([3000, 50, 's2999.example'])
})
