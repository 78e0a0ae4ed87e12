import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { dns_accounts } from '#dashboard/db/dns-schema.ts'
import { startCloudflare } from '#tests/support/cloudflare/server.ts'
import { addSite, fleet } from '#tests/support/dashboard/backup-fleet.ts'

const token = 'a-token-of-forty-characters-a-token-of-f'
const other = 'b-token-of-forty-characters-a-token-of-f'
const many = Array.from({ length: 60 }, (_, at) => `zone-${at}.example`)
const cloudflare = startCloudflare({ token, zones: ['a.example', 'sub.a.example', ...many] })
const { api, records, refusals } = cloudflare
afterAll(() => cloudflare.stop())
beforeEach(() => {
  records.length = 0
  refusals.clear()
})

/** The site a.example on a server with the address 127.0.0.1. */
async function oneSite() {
  const all = await fleet({ ready: false })
  const { dashboard, server_id } = all
  const site = await addSite(dashboard, server_id, { domain: 'a.example', apex: 'a.example' })
  const account = (body: object = {}) =>
    dashboard.call('POST', '/api/dns-accounts', { name: 'Cloudflare', token, api, ...body })
  const set = (body: object) =>
    dashboard.call('POST', `/api/servers/${server_id}/sites/${site}/domains/records`, {
      name: 'a.example',
      ...body,
    })
  const types = async () => {
    const { body } = await dashboard.call('GET', '/api/activity')
    return (body.activities as { type: string }[]).map(({ type }) => type)
  }
  const { address } = await addressOf(dashboard, server_id)
  return { ...all, site, account, set, types, address }
}

async function addressOf(
  dashboard: Awaited<ReturnType<typeof fleet>>['dashboard'],
  server_id: number,
) {
  const { body } = await dashboard.call('GET', `/api/servers/${server_id}`)
  return { address: (body.server as { hostname: string }).hostname }
}

const left = () =>
  records.map(({ type, name, content, proxied }) => [type, name, content, proxied] as const)
const put = (type: string, content: string, proxied = false) =>
  records.push({
    id: '1'.repeat(32),
    zone: zoneId(),
    ...{ type, content, proxied },
    name: 'a.example',
    ttl: 1,
  })
let known = ''
const zoneId = () => known

describe('a DNS account', () => {
  test('is stored with its zones, encrypted, and shown without its token', async () => {
    await using all = await oneSite()

    const { status, body } = await all.account()

    expect(status).toBe(201)
    expect(body.account).toMatchObject({ id: 1, name: 'Cloudflare', api })
    expect(body.account.zones).toHaveLength(62)
    const listed = await all.dashboard.call('GET', '/api/dns-accounts')
    expect(listed.body.accounts).toEqual([body.account])
    const [row] = await all.dashboard.db.read.select().from(dns_accounts)
    expect(JSON.stringify([row, listed.body])).not.toContain(token)
    expect(await all.types()).toContain('dns.account_create')
  })

  test.each([
    [{ token: other }, { token: ['Cloudflare: Invalid access token (9109)'] }],
    [{ api: 'http://127.0.0.1:1' }, { token: ['127.0.0.1:1 cannot be reached'] }],
    [{ token: 'short' }, { token: ['Must be an API token of Cloudflare'] }],
    [{ api: 'http://10.0.0.1/' }, { api: ['Must be an https: address, or http: on 127.0.0.1'] }],
    [{ name: '' }, { name: ['Must have 1 to 64 characters'] }],
  ])('with %p is refused, and not stored', async (body, fields) => {
    await using all = await oneSite()

    const answer = await all.account(body)

    expect([answer.status, answer.body.fields]).toEqual([422, fields])
    expect((await all.dashboard.call('GET', '/api/dns-accounts')).body.accounts).toEqual([])
  })

  test('is renamed, keeps its token if Cloudflare refuses a new one, and is forgotten', async () => {
    await using all = await oneSite()
    await all.account()
    await all.account({ name: 'Another' })
    const at = '/api/dns-accounts/1'
    const change = (body: object) => all.dashboard.call('PATCH', at, body)

    expect((await change({ name: 'Another' })).body.fields).toEqual({
      name: ['The name is already taken'],
    })
    expect((await change({ token: other })).body.fields).toEqual({
      token: ['Cloudflare: Invalid access token (9109)'],
    })
    expect((await change({ name: 'Shops' })).body.account.name).toBe('Shops')
    expect((await all.dashboard.call('DELETE', at)).status).toBe(204)
    expect((await change({})).status).toBe(404)
  })
})

describe('the records of a name', () => {
  test('are planned, and then created', async () => {
    await using all = await oneSite()
    await all.account()
    const plan = {
      ...{ name: 'a.example', zone: 'a.example', account: 'Cloudflare' },
      records: [{ action: 'create', type: 'A', content: all.address, proxied: false }],
    }

    expect(await all.set({ dry_run: true })).toMatchObject({ status: 200, body: plan })
    expect(left()).toEqual([])
    expect((await all.set({})).body).toEqual(plan)
    expect(left()).toEqual([['A', 'a.example', all.address, false]])
    expect((await all.set({})).body.records).toMatchObject([{ action: 'keep' }])
    expect((await all.types()).filter((type) => type === 'dns.records')).toHaveLength(1)
  })

  test('that lead elsewhere are replaced on request only, and stay behind Cloudflare', async () => {
    await using all = await oneSite()
    await all.account()
    await all.set({})
    known = records[0]?.zone ?? ''
    records.length = 0
    put('CNAME', 'shop.elsewhere.example', true)

    const refused = await all.set({})
    expect([refused.status, refused.body.fields]).toEqual([
      422,
      {
        replace: [
          'Must be true, since a.example has records that lead elsewhere: CNAME shop.elsewhere.example',
        ],
      },
    ])
    expect(left()).toHaveLength(1)
    expect((await all.set({ replace: true })).status).toBe(200)
    expect(left()).toEqual([['A', 'a.example', all.address, true]])
  })

  test('are as before if Cloudflare refuses the new ones, and its message is shown', async () => {
    await using all = await oneSite()
    await all.account()
    await all.set({})
    known = records[0]?.zone ?? ''
    records.length = 0
    put('A', '192.0.2.99')
    const before = left()
    refusals.add(all.address)

    const { status, body } = await all.set({ replace: true })

    expect([status, body.message]).toEqual([
      409,
      'Cloudflare: Content for record is invalid. (9005)',
    ])
    expect(left()).toEqual(before)
  })

  test('that cannot be restored either are named', async () => {
    await using all = await oneSite()
    await all.account()
    await all.set({})
    known = records[0]?.zone ?? ''
    records.length = 0
    put('A', '192.0.2.99')
    for (const content of [all.address, '192.0.2.99']) refusals.add(content)

    expect((await all.set({ replace: true })).body.message).toBe(
      'Cloudflare: Content for record is invalid. (9005). The former records could not be restored, which were A 192.0.2.99: look at the zone',
    )
  })

  test.each([
    [{ name: 'b.example' }, 422],
    [{ name: 'www.a.example' }, 200],
  ])('of %p: %p', async (body, status) => {
    await using all = await oneSite()
    await all.account()
    expect((await all.set(body)).status).toBe(status)
  })

  test('need an account with their zone', async () => {
    await using all = await oneSite()
    expect(await all.set({})).toMatchObject({
      status: 409,
      body: { message: 'No DNS account has the zone of a.example: add one in the settings' },
    })
  })
})
