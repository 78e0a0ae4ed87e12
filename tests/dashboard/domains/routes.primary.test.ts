import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { site_names } from '#dashboard/db/domains-schema.ts'
import { sites } from '#dashboard/db/schema.ts'
import { namesAfter, Primary } from '#shared/primary-domain.ts'
import { addSite, fleet } from '#tests/support/dashboard/backup-fleet.ts'
import { Refused } from '#tests/support/fake-operation.ts'

const addresses = { replaced: 3, left: [] }
const led = (...domains: string[]) =>
  domains.map((domain) => ({ domain, status: 301, keep_path: true }))

/** The sites a.example and b.example, whose agent changes primary domains. */
async function twoSites() {
  const all = await fleet({ ready: false })
  const { dashboard, agent, server_id } = all
  const given: object[] = []
  let meanwhile = async () => undefined as unknown
  let lie = {}
  agent.works.set('site.rename', async function* (params) {
    given.push(params)
    yield 'Stopping PHP'
    await meanwhile()
    const { primary, former } = Primary.parse(params)
    if (primary === 'refused.example')
      throw new Refused({ error: 'Conflict', message: 'A network', code: 'multisite' })
    const domain = String(params.domain)
    return {
      ...{ domain: primary, former: domain, addresses },
      ...namesAfter({ domain }, { primary, former }),
      ...lie,
    }
  })
  const add = (domain: string) => addSite(dashboard, server_id, { domain, apex: domain })
  const [a, b] = [await add('a.example'), await add('b.example')]
  const at = (site: number) => `/api/servers/${server_id}/sites/${site}/domains`
  const change = async (site: number, body: object) => {
    const response = await dashboard.send('POST', `${at(site)}/primary`, body)
    const text = await response.text()
    return response.status === 200 ? text : JSON.parse(text)
  }
  const show = async (site: number) => (await dashboard.call('GET', at(site))).body.domains
  const during = (work: () => Promise<unknown>) => {
    meanwhile = work
  }
  const lying = (report: object) => {
    lie = report
  }
  const { db } = dashboard
  const name = (
    values: Pick<typeof site_names.$inferInsert, 'name' | 'kind' | 'target'> & { site_id?: number },
  ) =>
    db.write((queries) =>
      queries.insert(site_names).values({ apex: values.name, site_id: a, ...values }),
    )
  return { ...all, given, a, b, change, show, during, lying, name }
}

describe('the primary domain of a site', () => {
  test('is changed, keeps the id of the site, and the former one becomes a redirect', async () => {
    await using all = await twoSites()

    const text = await all.change(all.a, { primary: 'NEW.example' })

    expect(text).toContain('event: complete')
    expect(all.given).toEqual([{ domain: 'a.example', primary: 'new.example', former: 'redirect' }])
    expect(await all.show(all.a)).toEqual({
      ...{ primary: 'new.example', www: 'serve', aliases: [] },
      redirects: led('a.example', 'www.a.example'),
    })
    const back = await all.change(all.a, { primary: 'a.example', former: 'none' })
    expect(back).toContain('event: complete')
    expect(await all.show(all.a)).toEqual({
      ...{ primary: 'a.example', www: 'serve', aliases: [], redirects: [] },
    })
  })

  test('keeps a wildcard, also beside the names of another site', async () => {
    await using all = await twoSites()
    const alias = { kind: 'alias', target: null } as const
    await all.name({ name: '*.a.example', ...alias })
    await all.name({ name: 'other.example', ...alias, site_id: all.b })

    const text = await all.change(all.a, { primary: 'new.example', former: 'none' })

    expect(text).toContain('event: complete')
    expect((await all.show(all.a)).aliases).toEqual(['*.a.example'])
  })

  test.each([
    ['the present one', 'a.example', 'a.example is the primary domain of this site'],
    ['a domain of another site', 'www.b.example', 'The domain is already taken'],
    ['no domain', 'no domain', 'Must be a domain name such as example.com'],
  ])('is not %s', async (_, primary, message) => {
    await using all = await twoSites()

    expect(await all.change(all.a, { primary })).toEqual({
      error: 'Validation failed',
      fields: { primary: [message] },
    })
    expect(all.given).toEqual([])
  })

  test('is reserved while the operation runs, and free again after a failure', async () => {
    await using all = await twoSites()
    const taken: unknown[] = []
    const other = { domain: 'refused.example', php: '8.4', tls: 'none', tier: 'small' }
    const create = () =>
      all.dashboard.call('POST', `/api/servers/${all.server_id}/sites`, {
        ...other,
        email: 'a@b.example',
      })
    all.during(async () => taken.push((await create()).status))

    const text = await all.change(all.a, { primary: 'refused.example' })

    expect(text).toContain('"message":"A network"')
    const { operations } = (await all.dashboard.call('GET', '/api/operations')).body
    expect(operations[0].error).toMatchObject({ code: 'multisite' })
    expect(taken).toEqual([422])
    expect(await all.show(all.a)).toMatchObject({ primary: 'a.example', redirects: [] })
    expect(await all.change(all.b, { primary: 'refused.example' })).toContain('A network')
  })

  test('is refused if the agent reports another one', async () => {
    await using all = await twoSites()
    all.lying({ domain: 'victim.example' })

    const text = await all.change(all.a, { primary: 'new.example' })

    expect(text).toContain('The agent answered with another domain than it was asked for')
    expect(await all.show(all.a)).toMatchObject({ primary: 'a.example', redirects: [] })
    const { read } = all.dashboard.db
    expect(await read.select().from(site_names)).toEqual([])
    expect((await read.select().from(sites)).map(({ domain }) => domain)).toEqual([
      'a.example',
      'b.example',
    ])
  })

  test.each(['redirect', 'alias', 'none'] as const)(
    'gives the site no other names than expected, and the former one is %s',
    async (former) => {
      await using all = await twoSites()
      await all.name({ name: 'alias.example', kind: 'alias' })
      await all.name({ name: 'new.example', kind: 'alias' })
      await all.name({ name: 'sale.example', kind: 'redirect', target: 'https://a.example/sale' })
      await all.name({ name: 'sub.example', kind: 'redirect', target: 'https://a.example.net/' })
      const { primary: domain, ...names } = await all.show(all.a)
      const hostile = { domain: 'victim.example', to: '$x', status: 301, keep_path: true }
      all.lying({ aliases: ['bank.example', 'www.b.example'], redirects: [hostile] })

      await all.change(all.a, { primary: 'new.example', former })

      expect(await all.show(all.a)).toEqual({
        primary: 'new.example',
        ...namesAfter({ domain, names }, { primary: 'new.example', former }),
      })
    },
  )

  test('is stored although a sync found the new name, and not the former one', async () => {
    await using all = await twoSites()
    const { db } = all.dashboard
    all.during(async () => {
      await addSite(all.dashboard, all.server_id, {
        ...{ domain: 'new.example', apex: 'new.example', managed: false },
      })
      const set = { status: 'missing', missing_since: '2026-01-01T00:00:00.000Z' } as const
      await db.write((queries) => queries.update(sites).set(set).where(eq(sites.id, all.a)))
    })

    await all.change(all.a, { primary: 'new.example' })

    const rows = await db.read.select().from(sites).where(eq(sites.apex, 'new.example'))
    expect(rows.map(({ id, status, missing_since }) => [id, status, missing_since])).toEqual([
      [all.a, 'active', null],
    ])
  })
})
