// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import { answersDuring, PAUSED } from '#tests/support/system/answers-during.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { type Enrolled, startEnrolled } from '#tests/support/system/enrolled.ts'
import { get } from '#tests/support/system/requests.ts'
import { wpCli } from '#tests/support/system/wp-cli.ts'
import { releases } from '#tests/support/turns.ts'

const MINUTES = 60_000
const OLD = 'old.example.test'
const NEW = 'new.example.test'
const NAMES = [OLD, `www.${OLD}`, NEW, `www.${NEW}`]
const FACTS = 'echo json_encode([get_option("home"), get_option("widget_facts")]);'

for (const suite of releases('rename')) {
  unless(lab.available()).describe(`the primary domain of a site on ${suite}`, () => check(suite))
}

function check(suite: Suite): void {
  const { php } = suites[suite]
  let world: Enrolled
  let site = { id: 0, user: '', docroot: '' }

  const at = (rest = '') => world.path(`/sites/${site.id}${rest}`)
  const on = (...args: string[]) =>
    wpCli(world.host, { ...site, docroot: `/srv/www/${site.user}/public` }, php, args)
  const change = async (body: object) =>
    (await world.dashboard.stream('POST', at('/domains/primary'), body)).at(-1)
  const show = async (): Promise<unknown> =>
    (await world.dashboard.call('GET', at('/domains'))).body.domains
  const visit = async (url: string) => {
    const { status, headers } = await get(world.host, url)
    return [status, /^location: (.+)\r?$/m.exec(headers)?.[1]?.trim() ?? null]
  }
  const settled = (url: string, expected: unknown[]) =>
    lab.poll(async () => JSON.stringify(await visit(url)) === JSON.stringify(expected))
  const facts = async (): Promise<unknown> => JSON.parse(await on('eval', FACTS))

  beforeAll(async () => {
    world = await startEnrolled(suite)
    await Promise.all(NAMES.map((name) => world.acme.resolve(name, world.host.address)))
    const body = { domain: OLD, php, tls: 'letsencrypt' }
    const created = await world.dashboard.call('POST', world.path('/sites'), body)
    site = created.body.site as typeof site
    await endOf(world.dashboard, created)
    site = (await world.dashboard.call('GET', at())).body.site as typeof site
    await on('option', 'update', 'widget_facts', '--format=json', `{"link":"https://${OLD}/a"}`)
    await on(
      'post',
      'create',
      '--post_status=publish',
      '--post_title=Linking',
      '--post_name=linking',
      `--post_content=<a href="https://${OLD}/about/">about</a>`,
    )
    const home = `s|<?php|<?php\\ndefine('WP_HOME', 'https://${OLD}');|`
    await world.host.must(['sed', '--in-place', home, `/srv/www/${site.user}/public/wp-config.php`])
  }, 15 * MINUTES)
  afterAll(() => world?.stop(), 5 * MINUTES)

  test('a preview names the tables and files, and changes nothing', async () => {
    const events = await world.dashboard.stream('POST', at('/domains/primary/preview'), {
      primary: NEW,
    })

    const { data, event } = events.at(-1) ?? {}
    expect([event, data]).toMatchObject([
      'complete',
      { domain: OLD, primary: NEW, files: ['wp-config.php'] },
    ] as never)
    const tables = (data as { tables: { name: string; columns: { serialized: number }[] }[] })
      .tables
    const options = tables.find(({ name }) => name.endsWith('_options'))
    expect(options?.columns[0]?.serialized).toBeGreaterThan(0)
    expect(tables.some(({ name }) => name.endsWith('_posts'))).toBe(true)
    expect(await facts()).toEqual([`https://${OLD}`, { link: `https://${OLD}/a` }])
    expect((await visit(`https://${OLD}/`))[0]).toBe(200)
  })

  test('an authority that refuses the new name leaves everything as it was', async () => {
    const last = await change({ primary: 'unknown.example.test' })

    expect(last).toMatchObject({
      event: 'error',
      data: { message: expect.stringContaining('The certificate for unknown.example.test') },
    } as never)
    const [operation] = (await world.dashboard.call('GET', '/api/operations')).body.operations as {
      error: object
    }[]
    expect(operation?.error).toMatchObject({ code: 'certificate_refused' })
    expect(await show()).toEqual({ primary: OLD, www: 'serve', aliases: [], redirects: [] })
    expect(await settled(`https://${OLD}/linking/`, [200, null])).toBe(true)
  })

  test('is changed with all addresses, and the former one redirects to it', async () => {
    const urls = [`https://${OLD}/linking/`, `https://${OLD}/wp-login.php`]
    const { result: last, answers } = await answersDuring(world.host, urls, () =>
      change({ primary: NEW }),
    )

    expect(answers.filter((one) => one !== '301')).toEqual(['200', PAUSED])
    const redirects = [OLD, `www.${OLD}`].map((domain) => ({
      ...{ domain, status: 301, keep_path: true },
    }))
    expect(last).toMatchObject({
      ...{ event: 'complete', data: { domain: NEW, former: OLD, redirects } },
    } as never)
    expect(await show()).toEqual({ primary: NEW, www: 'serve', aliases: [], redirects })
    expect(await settled(`https://${OLD}/linking/?a=b`, [301, `https://${NEW}/linking/?a=b`])).toBe(
      true,
    )
    expect(await visit(`http://www.${OLD}/`)).toEqual([301, `https://${NEW}/`])
    const page = await get(world.host, `https://${NEW}/linking/`)
    expect([page.status, page.body.includes(OLD)]).toEqual([200, false])
    expect(page.body).toContain(`<a href="https://${NEW}/about/">`)
    expect(await facts()).toEqual([`https://${NEW}`, { link: `https://${NEW}/a` }])
    expect(await on('config', 'get', 'WP_HOME')).toBe(`https://${NEW}\n`)
    const { body } = await world.dashboard.call('GET', at())
    expect(body.site).toMatchObject({ domain: NEW, user: site.user } as never)
  })

  test('a sync afterwards finds one site, and nothing to change', async () => {
    const sync = await world.dashboard.stream('POST', world.path('/sync'))
    expect(sync.at(-1)).toMatchObject({ event: 'complete', data: { status: 'ok', sites: 1 } })
    const { body } = await world.dashboard.call('GET', world.path('/sites'))
    expect((body.sites as { domain: string }[]).map(({ domain }) => domain)).toEqual([NEW])
    const left = await world.host.must([
      'sh',
      '-c',
      `find /etc/nginx /etc/hosting /var/lib/hosting-agent/sites /srv/www/.restore -name '*${OLD}*' -o -name replaced -o -name fetched`,
    ])
    expect(left).toBe('')
  })

  test('can be changed back, with what was written meanwhile', async () => {
    await on('post', 'create', '--post_status=publish', '--post_title=Later', '--post_name=later')

    const last = await change({ primary: OLD, former: 'none' })

    expect(last).toMatchObject({ event: 'complete', data: { domain: OLD } })
    expect(await show()).toEqual({ primary: OLD, www: 'serve', aliases: [], redirects: [] })
    expect(await facts()).toEqual([`https://${OLD}`, { link: `https://${OLD}/a` }])
    expect(await settled(`https://${OLD}/later/`, [200, null])).toBe(true)
    expect((await get(world.host, `https://${OLD}/later/`)).body).not.toContain(NEW)
  })
}
