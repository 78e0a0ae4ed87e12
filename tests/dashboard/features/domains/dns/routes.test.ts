import { describe, expect } from 'bun:test'
import { dns_accounts } from '#dashboard/kernel/db/dns-schema.ts'
import { shown, token, useCloudflare } from '#tests/support/dashboard/dns.ts'
import { testWith } from '#tests/support/fixture.ts'

const other = 'b-token-of-forty-characters-a-token-of-f'
const { api, left, clear, put, oneSite } = useCloudflare()

const test = testWith(oneSite)

const API_RULE = 'Must be an https: address, or http: on 127.0.0.1'

describe('a DNS account', () => {
  test('is stored with its zones, encrypted, and shown without its token', async (all) => {
    const { status, body } = await all.account()

    expect(status).toBe(201)
    expect(body.account).toMatchObject({ id: 1, name: 'Cloudflare', api })
    expect(body.account.zones).toHaveLength(63)
    const listed = await all.dashboard.call('GET', '/api/dns-accounts')
    expect(listed.body.accounts).toEqual([body.account])
    const [row] = await all.dashboard.db.read.select().from(dns_accounts)
    expect(JSON.stringify([row, listed.body])).not.toContain(token)
    expect(await all.types()).toContain('dns.account_create')
  })

  test.each([
    [{ token: other }, { token: ['Cloudflare: Invalid access token (9109)'] }],
    [{ api: 'http://127.0.0.1:1' }, { token: ['127.0.0.1:1 cannot be reached'] }],
    [{ api: 'https://256.256.256.256' }, { api: [API_RULE] }],
    [{ api: 'https://a:99999' }, { api: [API_RULE] }],
    [{ token: 'short' }, { token: ['Must be an API token of Cloudflare'] }],
    [{ api: 'http://10.0.0.1/' }, { api: [API_RULE] }],
    [{ name: '' }, { name: ['Must have 1 to 64 characters'] }],
  ])('with %p is refused, and not stored', async (all, body, fields) => {
    const answer = await all.account(body)

    expect([answer.status, answer.body.fields]).toEqual([422, fields])
    expect((await all.dashboard.call('GET', '/api/dns-accounts')).body.accounts).toEqual([])
  })

  test('whose answer breaks off is refused', async (all) => {
    const socket = {
      data: (to: { end: (text: string) => void }) =>
        to.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{'),
    }
    const broken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket })

    const { status, body } = await all.account({ api: `http://127.0.0.1:${broken.port}` })
    broken.stop(true)

    const host = `127.0.0.1:${broken.port}`
    expect([status, body.fields]).toEqual([422, { token: [`${host} cannot be reached`] }])
  })

  test.each([
    ['http://127.0.0.1:1', '127.0.0.1'],
    ['https://169.254.169.254', '169.254.169.254'],
    ['https://localhost:1', '(127.0.0.1|::1)'],
  ])('at %s is not contacted in production', async (all, at, address) => {
    all.dashboard.deps.rules.production = true

    const { status, body } = await all.account({ api: at })

    expect(status).toBe(422)
    expect(body.fields.api[0]).toMatch(
      new RegExp(`is not contacted: ${address} is an address of this machine, its provider`),
    )
  })

  test('is renamed, keeps its token if Cloudflare refuses a new one, and is forgotten', async (all) => {
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
    expect((await all.types()).filter((type) => type.startsWith('dns.')).sort()).toEqual([
      ...['dns.account_create', 'dns.account_create'],
      ...['dns.account_delete', 'dns.account_update'],
    ])
  })
})

describe('the records of a name', () => {
  test('are planned, and then created', async (all) => {
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

  test('that point elsewhere are replaced on request only, and stay behind Cloudflare', async (all) => {
    await all.account()
    await all.set({})
    clear()
    put('CNAME', 'shop.elsewhere.example', true)

    const refused = await all.set({})
    expect([refused.status, refused.body.fields]).toEqual([
      422,
      {
        replace: [
          'Must have the records of a.example that point elsewhere: CNAME shop.elsewhere.example',
        ],
      },
    ])
    expect(left()).toHaveLength(1)
    expect((await all.set({ replace: [shown('CNAME', 'shop.elsewhere.example')] })).status).toBe(
      200,
    )
    expect(left()).toEqual([['A', 'a.example', all.address, true]])
  })

  test.each([
    [{ name: 'b.example' }, 422],
    [{ name: 'www.a.example' }, 200],
  ])('of %p: %p', async (all, body, status) => {
    await all.account()
    expect((await all.set(body)).status).toBe(status)
    expect(await all.entries()).toEqual(status === 200 ? [['a.example', 'success']] : [])
  })

  test('need an account with their zone', async (all) => {
    expect(await all.set({})).toMatchObject({
      status: 409,
      body: { message: 'No DNS account has the zone of a.example: add one in the settings' },
    })
  })
})
