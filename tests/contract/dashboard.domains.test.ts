// tier: core
import { beforeAll, describe, expect, test } from 'bun:test'
import { failed, notFound, type Row, row } from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const taken = failed({ domain: ['The domain is already taken'] })
const sites = '/api/servers/1/sites'
const created = (id: number, domain: string) => ({
  site: { id, domain, status: 'provisioning' },
})

const rows: Row[] = [
  ...[
    'shop.example',
    'SHOP.example',
    'shop.example.',
    ' shop.example ',
    'www.shop.example',
    'WWW.Shop.Example.',
    'ｓｈｏｐ.example',
    'münchen.example',
    'MÜNCHEN.EXAMPLE.',
    'mu\u0308nchen.example',
    'xn--mnchen-3ya.example',
    'XN--MNCHEN-3YA.example',
    'www.münchen.example',
    'blog.example',
    'www.blog.example',
  ].flatMap((domain) =>
    [1, 2].map((server) =>
      row(`A taken domain is 422 on domain: ${JSON.stringify(domain)} on server ${server}`)
        .post(`/api/servers/${server}/sites`, { domain })
        .answers(422, taken),
    ),
  ),
  ...['www.www.shop.example', 'a.shop.example', 'shop.example.org', 'myshop.example'].map(
    (domain, index) =>
      row(`A domain that only looks alike is free: ${domain}`)
        .post(sites, { domain })
        .answers(201, created(4 + index, domain)),
  ),
]

describe('a domain', () => {
  const { client } = useDashboard()
  beforeAll(async () => {
    // Port 1 refuses connections: the agents are offline, and no machine is touched.
    await client().post('/api/servers', { hostname: '127.0.0.1', port: 1 })
    await client().post('/api/servers', { hostname: 'web2.example.com' })
    for (const domain of ['shop.example', 'münchen.example', 'www.blog.example']) {
      await client().post(sites, { domain })
    }
  })

  test.each(rows)('$sentence', async (row) => {
    expect(await client().send(row)).toAnswer(row)
  })

  test('twelve concurrent creations of one domain are one 201 and eleven 422', async () => {
    const forms = ['race.example', 'RACE.example.', 'www.race.example']
    const calls = Array.from({ length: 12 }, (_, index) =>
      client().post(`/api/servers/${1 + (index % 2)}/sites`, { domain: forms[index % 3] }),
    )

    const answers = await Promise.all(calls)

    const refused = answers.filter(({ status }) => status === 422)
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(11).fill(422)])
    for (const answer of refused) expect(answer).toAnswer({ status: 422, answer: taken })
    const { body } = await client().get('/api/fleet/sites?q=race')
    expect((body as { total: number }).total).toBe(1)
  })

  test('is free again once its site was deleted', async () => {
    const path = `${sites}/4`

    const removed = await client().send({ method: 'DELETE', path })

    const domain = 'www.www.shop.example'
    const answer = { site: { id: 4, domain, status: 'deleting' } }
    expect(removed).toAnswer({ status: 202, answer })
    expect(await client().get(path)).toAnswer({ status: 404, answer: notFound('Site') })
    expect((await client().post(sites, { domain })).status).toBe(201)
  })
})
