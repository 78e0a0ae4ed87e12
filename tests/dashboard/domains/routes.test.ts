import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { sites } from '#dashboard/db/schema.ts'
import { conflict } from '#shared/errors.ts'
import { addSite, fleet } from '#tests/support/dashboard/backup-fleet.ts'

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
  test('are its primary domain until others are set', async () => {
    await using all = await twoSites()

    expect(await all.show(all.a)).toEqual({ primary: 'a.example', ...NONE })
  })

  test('are those that the agent has set, in their order and as A-labels', async () => {
    await using all = await twoSites()
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
  ])('refuse %s with 422, which names it', async (_, names, fields) => {
    await using all = await twoSites()
    await all.set(all.b, {
      aliases: ['taken.example'],
      redirects: [{ domain: 'back.example', to: 'https://c.example' }],
    })

    expect(await all.set(all.a, names)).toEqual({ error: 'Validation failed', fields })
    expect(await all.show(all.a)).toEqual({ primary: 'a.example', ...NONE })
  })

  test('are free again after a failure', async () => {
    await using all = await twoSites()

    const text = await all.set(all.a, { aliases: ['refused.example', 'free.example'] })

    expect(text).toContain('event: error')
    expect(await all.show(all.a)).toEqual({ primary: 'a.example', ...NONE })
    expect(await all.set(all.b, { aliases: ['free.example'] })).toContain('event: complete')
  })

  test('are reserved while the agent sets them, also against new sites', async () => {
    await using all = await twoSites()
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

  test('a wildcard belongs to one site, and leaves the names below it to others', async () => {
    await using all = await twoSites()

    expect(await all.set(all.a, { aliases: ['*.C.example'] })).toContain('event: complete')

    expect((await all.show(all.a)).aliases).toEqual(['*.c.example'])
    expect((await all.set(all.b, { aliases: ['*.c.example'] })).fields).toEqual({
      aliases: ['*.c.example belongs to the site a.example'],
    })
    expect(await all.set(all.b, { aliases: ['x.c.example'] })).toContain('event: complete')
    const loop = { redirects: [{ domain: '*.d.example' }] }
    expect((await all.set(all.a, loop)).fields).toBeDefined()
  })

  test('of two sites differ: each has its own', async () => {
    await using all = await twoSites()

    expect(await all.set(all.a, { aliases: ['p.example'] })).toContain('event: complete')
    expect(await all.set(all.b, { aliases: ['q.example'] })).toContain('event: complete')
  })

  test('two sites that take the same name at once: one gets it', async () => {
    await using all = await twoSites()

    const answers = await Promise.all(
      [all.a, all.b].map((site) => all.set(site, { aliases: ['both.example'] })),
    )

    const isDone = (answer: unknown) => typeof answer === 'string'
    expect(answers.filter(isDone)).toHaveLength(1)
    expect([409, 422]).toContain(answers.find((answer) => !isDone(answer)).fields ? 422 : 409)
    const shown = await Promise.all([all.a, all.b].map(all.show))
    expect(shown.flatMap(({ aliases }) => aliases)).toEqual(['both.example'])
  })

  test('are free after the site is deleted, and its activity has the change', async () => {
    await using all = await twoSites()
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
