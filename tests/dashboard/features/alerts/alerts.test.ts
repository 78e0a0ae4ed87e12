// tier: gate
import { afterEach, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { POLL_MS } from '#dashboard/features/alerts/alerts.ts'
import { makeMailer } from '#dashboard/features/alerts/mailer.ts'
import { alerts } from '#dashboard/kernel/db/alerts-schema.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { addServer, addSite } from '#tests/support/dashboard/backup-attention.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { type Dashboard, EMAIL, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { Relay } from '#tests/support/mail/relay.ts'

const MINUTE = 60_000
const ends: (() => unknown)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function world({ login = '' } = {}) {
  const relay = new Relay()
  await relay.start()
  ends.push(() => relay.stop())
  const clock = new HeldClock()
  const password = login === '' ? null : { user: 'shop', password: new Secret(login) }
  const server = { host: '127.0.0.1', port: relay.port, tls: 'plain', login: password } as const
  const mailer = makeMailer(server, 'alerts@control.example')
  const options = { clock, mailer, public_url: 'https://control.example' }
  const dashboard = await makeDashboard(options)
  ends.push(() => dashboard[Symbol.asyncDispose]())
  // Items of backups are none of these tests.
  await dashboard.call('PUT', '/api/settings/backup_every', { value: 'off' })
  const texts = () => relay.received.map(({ text }) => decoded(text))
  return { relay, clock, options, dashboard, texts }
}

/** The header lines that matter and the text, without the encoding of a transfer. */
function decoded(text: string): { subject: string; body: string; references: string; id: string } {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const unfolded = head.replace(/\r\n[ \t]+/g, ' ')
  const header = (name: string) =>
    new RegExp(`^${name}: (.*)$`, 'im').exec(unfolded)?.[1]?.trim() ?? ''
  const body = rest
    .join('\n\n')
    .replace(/=\r?\n/g, '')
    .replace(/\r/g, '')
  const [subject, references, id] = ['Subject', 'References', 'Message-ID'].map(header)
  return { subject: subject ?? '', references: references ?? '', id: id ?? '', body }
}

/** The looks of so much time. */
async function pass(dashboard: Dashboard, clock: HeldClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += POLL_MS) {
    clock.move(POLL_MS)
    await dashboard.deps.alerts.look()
  }
}

const change = (dashboard: Dashboard, id: number, values: Partial<typeof servers.$inferInsert>) =>
  dashboard.db.write((queries) => queries.update(servers).set(values).where(eq(servers.id, id)))

const OFFLINE = {
  status: 'offline',
  last_error: 'The agent on web-1.example:8443 did not answer in time',
} as const
const ONLINE = { status: 'online', last_error: '' } as const

describe('critical items', () => {
  test('are mailed to the users once, and once more when they end', async () => {
    const { relay, clock, dashboard, texts } = await world()
    const id = await addServer(dashboard, 'web-1')
    await pass(dashboard, clock, 10 * MINUTE)
    expect(relay.received).toEqual([])

    await change(dashboard, id, OFFLINE)
    await pass(dashboard, clock, 20 * MINUTE)
    expect(relay.received).toMatchObject([{ from: 'alerts@control.example', to: [EMAIL] }])
    const [begin] = texts()
    expect(begin?.subject).toBe('Critical: web-1: server is offline')
    expect(begin?.body).toContain(OFFLINE.last_error)
    expect(begin?.body).toContain(`https://control.example/servers/${id}`)

    await change(dashboard, id, ONLINE)
    await pass(dashboard, clock, 20 * MINUTE)
    expect(relay.received).toHaveLength(2)
    const [, end] = texts()
    expect(end?.subject).toBe('Ended: web-1: server is offline')
    expect(end?.references).toBe(begin?.id)
    expect(end?.body).toContain('from 2026-01-01 00:10 UTC to 2026-01-01 00:30 UTC')
  })

  test('of one cause are one message', async () => {
    const { clock, dashboard, texts } = await world()
    const id = await addServer(dashboard, 'web-1')
    for (const domain of ['a.example', 'b.example']) await addSite(dashboard, id, { domain })
    await dashboard.db.write((queries) =>
      queries.update(sites).set({
        health: 'down',
        health_code: 'database_unreachable',
        health_reason: 'The database does not answer',
        health_since: '2026-01-01T00:00:00.000Z',
      }),
    )
    const services = [{ name: 'mariadb', status: 'failed' as const }]
    const metrics_at = clock.now().toISOString()
    await change(dashboard, id, { services, metrics_at })
    await pass(dashboard, clock, MINUTE)
    const [only, ...others] = texts()
    expect(others).toEqual([])
    expect(only?.subject).toBe('Critical: 2 sites are down, web-1: service has failed')
    const lines = only?.body.split('\n') ?? []
    const from = lines.indexOf('web-1: service has failed')
    expect(lines.slice(from, from + 7)).toEqual([
      'web-1: service has failed',
      '  mariadb has failed: restart it, and read its log on the server if it fails again',
      `  https://control.example/servers/${id}`,
      '',
      '  Probably for this reason:',
      expect.stringMatching(/^ {2}- a\.example: The database does not answer/),
      expect.stringMatching(/^ {2}- b\.example: The database does not answer/),
    ])
  })

  test('are not mailed again after a restart', async () => {
    const { relay, clock, options, dashboard } = await world()
    const id = await addServer(dashboard, 'web-1')
    await change(dashboard, id, OFFLINE)
    await pass(dashboard, clock, 5 * MINUTE)
    expect(relay.received).toHaveLength(1)

    await dashboard.stop()
    const again = await makeDashboard({ ...options, folder: dashboard.folder })
    ends.push(() => again.stop())
    await pass(again, clock, 5 * MINUTE)
    expect(relay.received).toHaveLength(1)
    await change(again, id, ONLINE)
    await pass(again, clock, 5 * MINUTE)
    expect(relay.received).toHaveLength(2)
    expect(await again.db.read.select().from(alerts)).toEqual([])
  })

  test('are mailed when the server accepts mail again', async () => {
    const { relay, clock, dashboard } = await world()
    const { port } = relay
    await relay.stop()
    await change(dashboard, await addServer(dashboard, 'web-1'), OFFLINE)
    await pass(dashboard, clock, 10 * MINUTE)
    expect(dashboard.deps.alerts.last).toMatchObject({
      accepted: false,
      answer: 'The server refused the connection',
    })
    await relay.start(port)
    await pass(dashboard, clock, 30 * MINUTE)
    expect(relay.received).toHaveLength(1)
  })

  test('are not mailed while the setting is off, and then once', async () => {
    const { relay, clock, dashboard } = await world()
    const at = '/api/settings/email_notifications'
    await dashboard.call('PUT', at, { value: false })
    await change(dashboard, await addServer(dashboard, 'web-1'), OFFLINE)
    await pass(dashboard, clock, 10 * MINUTE)
    expect(relay.received).toEqual([])
    await dashboard.call('PUT', at, { value: true })
    await pass(dashboard, clock, 10 * MINUTE)
    expect(relay.received).toHaveLength(1)
  })

  test('that were mailed before the setting was turned off do not hide later ones', async () => {
    const { relay, clock, dashboard } = await world()
    const at = '/api/settings/email_notifications'
    const server = await addServer(dashboard, 'web-1')
    await change(dashboard, server, OFFLINE)
    await pass(dashboard, clock, MINUTE)
    await dashboard.call('PUT', at, { value: false })
    await change(dashboard, server, ONLINE)
    await pass(dashboard, clock, 5 * MINUTE)
    await change(dashboard, server, OFFLINE)
    expect(relay.received).toHaveLength(1)

    await dashboard.call('PUT', at, { value: true })
    await pass(dashboard, clock, 5 * MINUTE)

    expect(relay.received).toHaveLength(2)
  })
})

describe('the notifications', () => {
  const path = '/api/fleet/notifications'

  test('are shown with the server and the recipients, and can be tested', async () => {
    const { relay, dashboard } = await world({ login: 'right' })
    const server = { host: '127.0.0.1', port: relay.port, tls: 'plain' }
    const rest = { enabled: true, server, from: 'alerts@control.example', recipients: [EMAIL] }
    expect((await dashboard.call('GET', path)).body).toEqual({
      notifications: { ...rest, last: null },
    })

    const { status, body } = await dashboard.call('POST', `${path}/test`)
    expect([status, body]).toEqual([
      200,
      { to: EMAIL, accepted: true, answer: '250 2.0.0 Ok: queued as 1' },
    ])
    expect(relay.received).toMatchObject([{ to: [EMAIL], user: 'shop' }])
    const { accepted, answer } = body
    expect((await dashboard.call('GET', path)).body).toEqual({
      notifications: { ...rest, last: { at: expect.any(String), accepted, answer } },
    })
    const { body: shown } = await dashboard.call('GET', '/api/activity?type=notifications.test')
    expect(shown.activities).toMatchObject([{ status: 'success' }])
  })

  test('report the answer of a server that refuses, and keep the password', async () => {
    const { dashboard } = await world({ login: 'needle-in-a-haystack' })
    const { status, body } = await dashboard.call('POST', `${path}/test`)
    expect([status, body]).toEqual([200, { to: EMAIL, accepted: false, answer: '535 5.7.8 No' }])
    const shown = JSON.stringify([(await dashboard.call('GET', path)).body, dashboard.log])
    expect(shown).toContain('535 5.7.8 No')
    expect(shown).not.toContain('needle')
  })

  test('say that there is no server', async () => {
    const dashboard = await makeDashboard()
    ends.push(() => dashboard[Symbol.asyncDispose]())
    expect((await dashboard.call('GET', path)).body).toEqual({
      notifications: { enabled: true, server: null, from: null, recipients: [EMAIL], last: null },
    })
    const { status, body } = await dashboard.call('POST', `${path}/test`)
    expect([status, body]).toEqual([
      409,
      { error: 'Conflict', message: expect.stringContaining('SMTP_URL') },
    ])
  })
})
