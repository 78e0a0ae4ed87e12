// tier: gate
import { describe, expect } from 'bun:test'
import { eq } from 'drizzle-orm'
import { site_names } from '#dashboard/kernel/db/domains-schema.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { NewPrimary, namesAfter } from '#shared/domains/primary-domain.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { addSite, fleet } from '#tests/support/dashboard/backup-fleet.ts'
import { Refused } from '#tests/support/fake-operation.ts'
import { testWith } from '#tests/support/fixture.ts'

const test = testWith(twoSites)
const NONE = { www: 'serve', aliases: [], redirects: [] }

/** A dashboard with the sites a.example and b.example, whose agent sets names. */
async function twoSites() {
  const all = await fleet({ ready: false })
  const { dashboard, agent, server_id } = all
  const given: object[] = []
  let wait = Promise.resolve()
  agent.works.set('site.domains', async function* (params) {
    given.push(params)
    await wait
    yield 'Applying the virtual host'
    if (Array.isArray(params.aliases) && params.aliases.includes('refused.example'))
      throw conflict('nginx refuses its configuration')
    const { accept: _, ...names } = params
    return names
  })
  const add = (domain: string) => addSite(dashboard, server_id, { domain, apex: domain })
  const [a, b] = [await add('a.example'), await add('b.example')]
  const at = (site: number) => `/api/servers/${server_id}/sites/${site}/domains`
  const set = async (site: number, names: object) => {
    const response = await dashboard.send('PUT', at(site), names)
    const text = await response.text()
    return response.status === 200 ? text : JSON.parse(text)
  }
  const show = async (site: number) => (await dashboard.call('GET', at(site))).body.domains
  const hold = (until: Promise<void>) => {
    wait = until
  }
  return { ...all, given, a, b, set, show, hold, at }
}

describe('the domains of a site', () => {
  test('are its primary domain until others are set', async (all) => {
    expect(await all.show(all.a)).toEqual({ primary: 'a.example', ...NONE })
  })

  test('are those that the agent has set, in their order and as A-labels', async (all) => {
    const redirects = [
      { domain: 'z.example', to: 'https://other.example/x', status: 302, keep_path: false },
      { domain: 'y.example', status: 301, keep_path: true },
    ]

    const text = await all.set(all.a, {
      ...{ www: 'redirect', aliases: ['shop.bücher.example', 'c.example'], redirects },
    })

    const names = {
      www: 'redirect',
      aliases: ['shop.xn--bcher-kva.example', 'c.example'],
      redirects,
    }
    expect(text).toContain('event: complete')
    expect(all.given).toEqual([{ domain: 'a.example', ...names }])
    expect(await all.show(all.a)).toEqual({ primary: 'a.example', ...names })
    await all.set(all.a, {})
    expect(await all.show(all.a)).toEqual({ primary: 'a.example', ...NONE })
  })

  test.each([
    [
      'a domain of another site',
      { aliases: ['b.example'] },
      { aliases: ['b.example belongs to the site b.example'] },
    ],
    [
      'its www form',
      { aliases: ['www.b.example'] },
      { aliases: ['www.b.example belongs to the site b.example'] },
    ],
    [
      'a name of another site',
      { redirects: [{ domain: 'WWW.taken.example.' }] },
      { redirects: ['www.taken.example belongs to the site b.example'] },
    ],
    [
      'a redirect to itself',
      { redirects: [{ domain: 'c.example', to: 'https://c.example' }] },
      { redirects: ['c.example → c.example is a redirect loop'] },
    ],
    [
      'a loop over another site',
      { redirects: [{ domain: 'c.example', to: 'https://back.example' }] },
      { redirects: ['c.example → back.example → c.example is a redirect loop'] },
    ],
    [
      'too many names',
      { aliases: Array.from({ length: 5000 }, (_, at) => `n${at}.example`) },
      { aliases: ['Must have at most 98 names'] },
    ],
    ['an unknown rule', { www: 'bare' }, { www: ['Must be one of serve, redirect'] }],
    [
      'no domain name',
      { aliases: ['no domain'] },
      { aliases: ['Must be a domain name such as example.com'] },
    ],
  ])('refuse %s with 422, which names it', async (all, _, names, fields) => {
    await all.set(all.b, {
      aliases: ['taken.example'],
      redirects: [{ domain: 'back.example', to: 'https://c.example' }],
    })

    expect(await all.set(all.a, names)).toEqual({ error: 'Validation failed', fields })
    expect(await all.show(all.a)).toEqual({ primary: 'a.example', ...NONE })
  })

  test('are free again after a failure', async (all) => {
    const text = await all.set(all.a, { aliases: ['refused.example', 'free.example'] })

    expect(text).toContain('event: error')
    expect(await all.show(all.a)).toEqual({ primary: 'a.example', ...NONE })
    expect(await all.set(all.b, { aliases: ['free.example'] })).toContain('event: complete')
  })

  test('are reserved while the agent sets them, also against new sites', async (all) => {
    const { dashboard, server_id } = all
    const { promise, resolve } = Promise.withResolvers<void>()
    all.hold(promise)
    const response = await dashboard.send('PUT', all.at(all.a), { aliases: ['new.example'] })

    const other = await all.set(all.b, { aliases: ['new.example'] })
    const site = await dashboard.call('POST', `/api/servers/${server_id}/sites`, {
      domain: 'www.new.example',
    })
    const shown = await all.show(all.a)
    resolve()
    await response.text()

    expect(other.fields).toEqual({ aliases: ['new.example belongs to the site a.example'] })
    expect([site.status, site.body.fields]).toEqual([
      422,
      { domain: ['The domain is already taken: it is a name of a.example'] },
    ])
    expect(shown).toEqual({ primary: 'a.example', ...NONE })
    expect((await all.show(all.a)).aliases).toEqual(['new.example'])
  })

  test('a wildcard belongs to one site, and leaves the names below it to others', async (all) => {
    expect(await all.set(all.a, { aliases: ['*.C.example'] })).toContain('event: complete')

    expect((await all.show(all.a)).aliases).toEqual(['*.c.example'])
    expect((await all.set(all.b, { aliases: ['*.c.example'] })).fields).toEqual({
      aliases: ['*.c.example belongs to the site a.example'],
    })
    expect(await all.set(all.b, { aliases: ['x.c.example'] })).toContain('event: complete')
    const loop = { redirects: [{ domain: '*.d.example' }] }
    expect((await all.set(all.a, loop)).fields).toBeDefined()
  })

  test('of two sites differ: each has its own', async (all) => {
    expect(await all.set(all.a, { aliases: ['p.example'] })).toContain('event: complete')
    expect(await all.set(all.b, { aliases: ['q.example'] })).toContain('event: complete')
  })

  test('two sites that take the same name at once: one gets it', async (all) => {
    const answers = await Promise.all(
      [all.a, all.b].map((site) => all.set(site, { aliases: ['both.example'] })),
    )

    const isDone = (answer: unknown) => typeof answer === 'string'
    expect(answers.filter(isDone)).toHaveLength(1)
    expect([409, 422]).toContain(answers.find((answer) => !isDone(answer)).fields ? 422 : 409)
    const shown = await Promise.all([all.a, all.b].map(all.show))
    expect(shown.flatMap(({ aliases }) => aliases)).toEqual(['both.example'])
  })

  test('are free after the site is deleted, and its activity has the change', async (all) => {
    await all.set(all.a, { aliases: ['c.example'] })

    await all.dashboard.db.write((queries) => queries.delete(sites).where(eq(sites.id, all.a)))

    expect(await all.set(all.b, { aliases: ['c.example'] })).toContain('event: complete')
    const { body } = await all.dashboard.call('GET', '/api/activity?type=site.domains')
    expect(body.activities.map(({ domain }: { domain: string }) => domain)).toEqual([
      'b.example',
      'a.example',
    ])
  })
})

const renameTest = testWith(renamedSites)
const addresses = { replaced: 3, left: [] }

const led = (...domains: string[]) =>
  domains.map((domain) => ({ domain, status: 301, keep_path: true }))

/** The sites a.example and b.example, whose agent changes primary domains. */
async function renamedSites() {
  const all = await fleet({ ready: false })
  const { dashboard, agent, server_id } = all
  const given: object[] = []
  let meanwhile = async () => undefined as unknown
  let lie = {}
  agent.works.set('site.rename', async function* (params) {
    given.push(params)
    yield 'Stopping PHP'
    await meanwhile()
    const { primary, former } = NewPrimary.parse(params)
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
    await using all = await renamedSites()

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
    await using all = await renamedSites()

    const alias = { kind: 'alias', target: null } as const
    await all.name({ name: '*.a.example', ...alias })
    await all.name({ name: 'other.example', ...alias, site_id: all.b })

    const text = await all.change(all.a, { primary: 'new.example', former: 'none' })

    expect(text).toContain('event: complete')
    expect((await all.show(all.a)).aliases).toEqual(['*.a.example'])
  })

  renameTest.each([
    ['the present one', 'a.example', 'a.example is the primary domain of this site'],
    ['a domain of another site', 'www.b.example', 'The domain is already taken'],
    ['no domain', 'no domain', 'Must be a domain name such as example.com'],
  ])('is not %s', async (all, _, primary, message) => {
    expect(await all.change(all.a, { primary })).toEqual({
      error: 'Validation failed',
      fields: { primary: [message] },
    })
    expect(all.given).toEqual([])
  })

  test('is reserved while the operation runs, and free again after a failure', async () => {
    await using all = await renamedSites()

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
    await using all = await renamedSites()

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

  renameTest.each(['redirect', 'alias', 'none'] as const)(
    'gives the site no other names than expected, and the former one is %s',
    async (all, former) => {
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
    await using all = await renamedSites()

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
