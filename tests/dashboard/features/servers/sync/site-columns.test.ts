// tier: gate
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { site_names } from '#dashboard/kernel/db/domains-schema.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { addSite } from '#tests/support/dashboard/backup-fleet.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { created, found } from '#tests/support/found-sites.ts'

const NAMES = ['victim', 'hosting-dashboard', 'root', 'Not a user\n']
const own = { user: 'shop', docroot: '/srv/www/shop/public', db_name: 'shop' }
const usual = { ...own, managed: true, found: false, php: '8.2', tls: 'none' } as const

async function fleet(agent: FakeAgent) {
  const dashboard = await makeDashboard()
  const server_id = await dashboard.addServer(agent)
  const id = await addSite(dashboard, server_id, {
    ...{ domain: 'shop.example', apex: 'shop.example', php: '8.2' },
    ...own,
  })
  return { dashboard, server_id, id }
}

const sync = async (dashboard: Dashboard, server = 1) =>
  (await dashboard.send('POST', `/api/servers/${server}/sync`)).text()

async function recordOf({ db }: Dashboard, domain: string) {
  const [row] = await db.read.select().from(sites).where(eq(sites.domain, domain))
  const { user, docroot, db_name, managed, found: isFound, php, tls } = row ?? {}
  const identity = { user, docroot, db_name, managed, found: isFound, php, tls }
  return { ...identity, reported_identity: row?.reported_identity }
}

async function itemsOf(dashboard: Dashboard, kind_of_items = 'site_identity') {
  const { body } = await dashboard.call('GET', '/api/fleet')
  const all = body.attention as { kind: string; severity: string; items: { reason: string }[] }[]
  return all
    .filter(({ kind }) => kind === kind_of_items)
    .flatMap(({ severity, items }) => items.map(({ reason }) => [severity, reason]))
}

describe('a managed site', () => {
  test.each(NAMES)('keeps its identity when its server reports %j', async (name) => {
    await using agent = new FakeAgent()
    const { dashboard } = await fleet(agent)
    await using _ = dashboard
    const lie = { user: name, docroot: `/srv/www/${name}/public`, db_name: name }
    agent.sites = [found('shop.example', { ...lie, php: name, tls: 'other' })]

    await sync(dashboard)

    expect(await recordOf(dashboard, 'shop.example')).toEqual({ ...usual, reported_identity: lie })
  })

  test('is a critical item until its server reports the recorded identity again', async () => {
    await using agent = new FakeAgent()
    const { dashboard } = await fleet(agent)
    await using _ = dashboard
    agent.sites = [found('shop.example', { ...own, user: 'victim' })]
    await sync(dashboard)
    const reason =
      'The server reports another system user for this site: expected shop, reported victim. It may be compromised: check it, and restore its sites on a new server unless you know the cause'

    expect(await itemsOf(dashboard)).toEqual([['critical', reason]])

    agent.sites = [found('shop.example')]
    await sync(dashboard)
    expect(await itemsOf(dashboard)).toEqual([])
    expect(await recordOf(dashboard, 'shop.example')).toEqual({ ...usual, reported_identity: null })
  })

  test('is a warning if its wp-config.php, which the site itself can change, names another database', async () => {
    await using agent = new FakeAgent()
    const { dashboard } = await fleet(agent)
    await using _ = dashboard
    agent.sites = [found('shop.example', { db_name: 'elsewhere' })]

    await sync(dashboard)

    const reason =
      'The server reports another database for this site: expected shop, reported elsewhere. The site itself can change this in its wp-config.php: check it'
    expect(await itemsOf(dashboard)).toEqual([['warning', reason]])
  })

  test('is not contradicted by values that are unknown to its server', async () => {
    await using agent = new FakeAgent()
    const { dashboard } = await fleet(agent)
    await using _ = dashboard
    agent.sites = [found('shop.example', { user: '', docroot: '', db_name: '' })]

    await sync(dashboard)

    expect(await recordOf(dashboard, 'shop.example')).toEqual({ ...usual, reported_identity: null })
  })

  test('never becomes a discovered one, and its trash entry does not change it', async () => {
    await using agent = new FakeAgent()
    const { dashboard } = await fleet(agent)
    await using _ = dashboard
    agent.usage = []
    const kept = { size: 1, deleted_at: '2026-01-01T00:00:00.000Z', restorable: true }
    agent.trash = [
      { domain: 'shop.example', user: 'victim', php: '', ...kept, tier: 'small', tls: 'none' },
    ]

    await sync(dashboard)

    const reported_identity = { user: 'victim' }
    expect(await recordOf(dashboard, 'shop.example')).toEqual({ ...usual, reported_identity })
  })
})

describe('a managed site whose server reports a name of another site', () => {
  const COMPROMISED =
    'It may be compromised: check it, and restore its sites on a new server unless you know the cause'

  /** With a site of another server, which has an alias. */
  async function withVictim(agent: FakeAgent, names: string[]) {
    const { dashboard } = await fleet(agent)
    const other = await dashboard.addServer(agent)
    const site_id = await addSite(dashboard, other, {
      ...{ domain: 'victim.example', apex: 'victim.example', php: '8.2' },
      ...{ user: 'victim', docroot: '/srv/www/victim/public', db_name: 'victim' },
    })
    const alias = {
      name: 'www.alias.example',
      apex: 'alias.example',
      site_id,
      kind: 'alias',
    } as const
    await dashboard.db.write((queries) => queries.insert(site_names).values(alias))
    agent.sites = [found('shop.example', { names: ['shop.example', 'www.shop.example', ...names] })]
    await sync(dashboard)
    return dashboard
  }

  test.each(['victim.example', 'www.victim.example', 'alias.example', 'www.alias.example'])(
    'is a critical item for %s, until it is not reported any more',
    async (name) => {
      await using agent = new FakeAgent()
      await using dashboard = await withVictim(agent, [name])

      const reason = `The server reports the name ${name} for this site, which belongs to the site victim.example. ${COMPROMISED}`
      expect(await itemsOf(dashboard, 'foreign_address')).toEqual([['critical', reason]])
      expect(await itemsOf(dashboard)).toEqual([])
      expect(await recordOf(dashboard, 'shop.example')).toMatchObject(usual)
      expect(await recordOf(dashboard, 'victim.example')).toMatchObject({ user: 'victim' })

      agent.sites = [found('shop.example', { names: ['shop.example'] })]
      await sync(dashboard)
      expect(await itemsOf(dashboard, 'foreign_address')).toEqual([])
    },
  )

  test('is none for its own names and for names of no site', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await withVictim(agent, ['own.example', '*.shop.example', '_', ''])

    expect(await itemsOf(dashboard, 'foreign_address')).toEqual([])
    expect(await recordOf(dashboard, 'shop.example')).toEqual({ ...usual, reported_identity: null })
  })
})

describe('a managed site that its server has under another domain', () => {
  test('is missing and a critical item, and no discovered site is recorded', async () => {
    await using agent = new FakeAgent()
    const { dashboard, id } = await fleet(agent)
    await using _ = dashboard
    agent.sites = [found('evil.example')]

    await sync(dashboard)

    const reason =
      'The server reports another domain for this site: expected shop.example, reported evil.example. It may be compromised: check it, and restore its sites on a new server unless you know the cause'
    expect(await itemsOf(dashboard)).toEqual([['critical', reason]])
    const rows = await dashboard.db.read.select().from(sites)
    expect(rows.map(({ id, domain, status }) => ({ id, domain, status }))).toEqual([
      { id, domain: 'shop.example', status: 'missing' },
    ])

    agent.sites = []
    await sync(dashboard)
    expect(await itemsOf(dashboard)).toEqual([])
  })

  test('is not contradicted by another site in the same folder', async () => {
    await using agent = new FakeAgent()
    const { dashboard } = await fleet(agent)
    await using _ = dashboard
    agent.sites = [found('shop.example'), found('other.example')]

    await sync(dashboard)

    expect(await itemsOf(dashboard)).toEqual([])
    expect(await recordOf(dashboard, 'other.example')).toMatchObject({ found: true })
  })
})

describe('a site that a server says it has created', () => {
  const imported = (user: string) => [
    found('new.example', { user, docroot: '/etc', db_name: 'mysql' }),
    found('shop.example'),
  ]

  test('has the identity that follows from its system user, and keeps it', async () => {
    await using agent = new FakeAgent()
    const { dashboard } = await fleet(agent)
    await using _ = dashboard
    const identity = { user: 'made', docroot: '/srv/www/made/public', db_name: 'made' }
    agent.usage = [created('new.example'), created('shop.example')]
    agent.sites = imported('made')
    await sync(dashboard)
    agent.sites = imported('victim')
    agent.usage = [created('shop.example')]
    await sync(dashboard)
    agent.usage = [created('new.example'), created('shop.example')]
    await sync(dashboard)

    const lie = { user: 'victim', docroot: '/etc', db_name: 'mysql' }
    expect(await recordOf(dashboard, 'new.example')).toEqual({
      ...{ ...usual, ...identity, managed: false },
      reported_identity: lie,
    })
  })

  test.each(['shop', 'hosting-dashboard', 'root', 'www-data', '_apt', 'Not a user\n'])(
    'is only a discovered one with the system user %j',
    async (user) => {
      await using agent = new FakeAgent()
      const { dashboard } = await fleet(agent)
      await using _ = dashboard
      agent.sites = imported(user)
      await sync(dashboard)
      agent.usage = [created('new.example'), created('shop.example')]
      await sync(dashboard)

      expect(await recordOf(dashboard, 'new.example')).toMatchObject({
        found: true,
        managed: false,
      })
    },
  )

  test('is not recorded from a trash with the system user of another site', async () => {
    await using agent = new FakeAgent()
    const { dashboard } = await fleet(agent)
    await using _ = dashboard
    const kept = { size: 1, deleted_at: '2026-01-01T00:00:00.000Z', restorable: true } as const
    const facts = { php: '', ...kept, tier: 'small', tls: 'none' } as const
    agent.sites = [found('shop.example')]
    agent.trash = ['shop', 'hosting-keeper', 'gone'].map((user, index) => ({
      ...{ domain: `trash${index}.example`, user, ...facts },
    }))

    await sync(dashboard)

    const rows = await dashboard.db.read.select().from(sites).where(eq(sites.status, 'trashed'))
    expect(
      rows.map(({ domain, user, docroot, db_name }) => [domain, user, docroot, db_name]),
    ).toEqual([['trash2.example', 'gone', '/srv/www/gone/public', 'gone']])
  })
})
