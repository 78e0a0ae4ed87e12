import { describe, expect, test } from 'bun:test'
import { mail_settings } from '#dashboard/kernel/db/mail-schema.ts'
import { activities, operation_events, operations } from '#dashboard/kernel/db/schema.ts'
import { NO_MAIL } from '#shared/mail/mail.ts'
import { Fleet } from '#shared/overview/api/fleet.ts'
import { type Dashboard, makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const PASSWORD = 'needle-in-the-haystack'
const relay = { host: 'smtp.example.com', port: 587, tls: 'starttls', user: 'hosting' }
const RULES = { enabled: true, from_address: null, rewrite_from: null, hourly_limit: null }
const UNSET = { ...RULES, relay: null, updated_at: null }

/** An agent that accepts every setting, and the settings it received. */
function machine() {
  const agent = new FakeAgent()
  const given: Record<string, unknown>[] = []
  agent.works.set('mail.apply', async function* (params) {
    given.push(params)
    yield 'Changing the mail settings'
    return { status: 'ok', relay: params.relay !== null }
  })
  agent.works.set('mail.check', async function* ({ to }) {
    yield '> MAIL FROM:<shop@example.com>'
    return { status: 'ok', answer: `250 2.0.0 Ok for ${to}` }
  })
  return { agent, given }
}

const path = (id: number) => `/api/servers/${id}/mail`

const set = async (dashboard: Dashboard, to: string, input: object) => {
  const response = await dashboard.send('PUT', to, input)
  return { status: response.status, text: await response.text() }
}

const shown = async (dashboard: Dashboard, at: string) =>
  (await dashboard.call('GET', at)).body.mail

async function addSite(dashboard: Dashboard, server_id: number, domain: string): Promise<number> {
  const id = await dashboard.addSite(server_id, {
    domain,
    php: '8.2',
  })
  return id
}

describe('the mail of a server', () => {
  test('is not sent before a relay is set', async () => {
    await using agent = machine().agent
    await using dashboard = await makeDashboard()
    const id = await dashboard.addServer(agent)

    expect(await shown(dashboard, path(id))).toEqual({
      ...{ setting: UNSET, sends: false, running: true, sites: [] },
    })
    expect((await dashboard.call('GET', path(99))).status).toBe(404)
  })

  test('goes to the configured relay, whose password only the agent gets', async () => {
    const { agent, given } = machine()
    await using _ = agent
    await using dashboard = await makeDashboard()
    const id = await dashboard.addServer(agent)

    const { text } = await set(dashboard, path(id), { relay: { ...relay, password: PASSWORD } })

    expect(text).toContain('event: complete')
    expect(given).toEqual([{ ...RULES, relay: { ...relay, password: PASSWORD } }])
    const mail = await shown(dashboard, path(id))
    expect(mail).toMatchObject({
      setting: { relay: { ...relay, has_password: true } },
      sends: true,
    })
    const { read } = dashboard.db
    const tables = [operations, operation_events, activities, mail_settings]
    const records = await Promise.all(tables.map((table) => read.select().from(table)))
    expect(records.map((rows) => rows.length > 0)).toEqual([true, true, true, true])
    expect(JSON.stringify([records, mail, text, dashboard.log])).not.toContain(PASSWORD)
  })

  test('keeps the stored password, but never for another relay', async () => {
    const { agent, given } = machine()
    await using _ = agent
    await using dashboard = await makeDashboard()
    const id = await dashboard.addServer(agent)
    await set(dashboard, path(id), { relay: { ...relay, password: PASSWORD } })

    await set(dashboard, path(id), { relay, hourly_limit: 20 })
    expect(given[1]).toEqual({
      ...RULES,
      hourly_limit: 20,
      relay: { ...relay, password: PASSWORD },
    })

    const elsewhere = { relay: { ...relay, host: 'evil.example.net' } }
    expect(await dashboard.call('PUT', path(id), elsewhere)).toEqual({
      status: 422,
      body: {
        error: 'Validation failed',
        fields: { 'relay.password': ['Is required, because the relay or its user has changed'] },
      },
    })
    expect(given).toHaveLength(2)
  })

  test('sends no password without TLS to another machine', async () => {
    await using agent = machine().agent
    await using dashboard = await makeDashboard()
    const id = await dashboard.addServer(agent)
    const open = { relay: { ...relay, tls: 'none', password: PASSWORD } }

    expect((await dashboard.call('PUT', path(id), open)).body.fields).toEqual({
      'relay.tls': ['Must not be none where a password is sent to another machine'],
    })
  })

  test('is unchanged when the agent refuses, and a second attempt has the password', async () => {
    const { agent, given } = machine()
    await using _ = agent
    await using dashboard = await makeDashboard()
    const id = await dashboard.addServer(agent)
    const works = agent.works.get('mail.apply')
    agent.works.set('mail.apply', async function* () {
      yield 'Changing the mail settings'
      throw new Error('no')
    })
    const response = await dashboard.send('PUT', path(id), {
      relay: { ...relay, password: PASSWORD },
    })
    expect(await response.text()).toContain('event: error')
    expect((await shown(dashboard, path(id))).setting).toEqual(UNSET)

    if (works) agent.works.set('mail.apply', works)
    const operation = response.headers.get('operation-id')
    await dashboard.call('POST', `/api/operations/${operation}/retry`, {})
    await until(async () => given.length > 0)
    expect(given).toEqual([{ ...RULES, relay: { ...relay, password: PASSWORD } }])
  })

  test('has a plan, for which the agent gets no password', async () => {
    await using agent = machine().agent
    await using dashboard = await makeDashboard()
    const id = await dashboard.addServer(agent)
    const input = { relay: { ...relay, password: PASSWORD }, dry_run: true }

    expect((await dashboard.call('PUT', path(id), input)).body).toEqual({ plan: { steps: [] } })
    expect(agent.planned).toEqual([
      { command: 'mail.apply', params: { ...RULES, relay: { ...relay, password: '' } } },
    ])
  })

  test('is tested with the answer of the relay', async () => {
    await using agent = machine().agent
    await using dashboard = await makeDashboard()
    const id = await dashboard.addServer(agent)

    const text = await (
      await dashboard.send('POST', `${path(id)}/test`, { to: 'ann@example.org' })
    ).text()

    expect(text).toContain('> MAIL FROM:<shop@example.com>')
    expect(text).toContain('250 2.0.0 Ok for ann@example.org')
    expect((await dashboard.call('POST', `${path(id)}/test`, { to: 'ann' })).status).toBe(422)
  })
})

describe('the mail of a site', () => {
  test('shows its own settings, those of its server, and its queue', async () => {
    const { agent, given } = machine()
    await using _ = agent
    await using dashboard = await makeDashboard()
    const id = await dashboard.addServer(agent)
    const site = await addSite(dashboard, id, 'shop.example')
    const queue = { ...NO_MAIL, queued: 2, sent_day: 7 }
    const sites = [
      { ...queue, domain: 'shop.example' },
      { ...NO_MAIL, domain: 'idle.example' },
    ]
    agent.answers.set('/mail', () => Response.json({ running: true, sites }))
    await set(dashboard, path(id), { relay: { ...relay, password: PASSWORD } })
    const of = `/api/servers/${id}/sites/${site}/mail`

    await set(dashboard, of, { from_address: 'info@shop.example' })

    expect(given[1]).toEqual({
      ...{ ...RULES, relay: null, from_address: 'info@shop.example', domain: 'shop.example' },
    })
    const counts = { ...queue, site_id: site, domain: 'shop.example' }
    expect(await shown(dashboard, of)).toEqual({
      setting: { ...UNSET, from_address: 'info@shop.example', updated_at: expect.any(String) },
      server: {
        ...{ ...UNSET, relay: { ...relay, has_password: true }, updated_at: expect.any(String) },
      },
      ...{ sends: true, running: true, counts },
    })
    expect((await shown(dashboard, path(id))).sites).toEqual([counts])

    await set(dashboard, of, { enabled: false })
    expect((await shown(dashboard, of)).sends).toBe(false)
  })

  test('that is not delivered is on the overview until the agent reports its delivery', async () => {
    await using agent = machine().agent
    await using dashboard = await makeDashboard()
    const id = await dashboard.addServer(agent)
    const site = await addSite(dashboard, id, 'shop.example')
    const attention = async () => {
      await (await dashboard.send('POST', `/api/servers/${id}/sync`)).text()
      const { body } = await dashboard.call('GET', '/api/fleet')
      return Fleet.parse(body).attention.filter(({ kind }) => kind === 'mail')
    }
    const problem = { at: new Date().toISOString(), answer: '535 5.7.8 Bad password' }
    const waits = { queued: 2, oldest_at: new Date(Date.now() - 3_600_000).toISOString(), problem }
    let shop = { ...NO_MAIL, domain: 'shop.example', ...waits }
    agent.answers.set('/mail', () => Response.json({ running: true, sites: [shop] }))

    expect(await attention()).toMatchObject([
      { severity: 'warning', total: 1, items: [{ site_id: site, name: 'shop.example' }] },
    ])
    shop = { ...NO_MAIL, domain: 'shop.example', ...waits, queued: 0 }
    expect(await attention()).toEqual([])
  })
})

const agency = { host: 'smtp.example', port: 587, tls: 'starttls', user: 'agency', password: 'x' }
const WRONG = ['\n', '\r', '\0', '\u0085', '\u2028', '\u2029', '\ufeff', '\u202e']

test.each(['user', 'password'])(
  'the %s of a relay is one line of printable text',
  async (field) => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    const path = `/api/servers/${await dashboard.addServer(agent)}/mail`

    for (const sign of WRONG) {
      const changed = { ...agency, [field]: `a${sign}b` }
      const { status, body } = await dashboard.call('PUT', path, { relay: changed })
      const fields = { [`relay.${field}`]: ['Must be one line of printable characters'] }
      expect([sign, status, body.fields]).toEqual([sign, 422, fields])
    }
  },
)
