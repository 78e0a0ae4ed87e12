// tier: full, interrupts
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { KilledDashboard, type Moment } from '#tests/support/system/killed-dashboard.ts'

const MINUTES = 60_000
/** After the record alone, in the middle, before the end, and after an end that it has not seen. */
const MOMENTS: readonly Moment[] = [0, 5, 'unseen']

interface Site {
  id: number
  user: string
}

unless(lab.available()).describe('a dashboard that is killed', () => {
  let killed: KilledDashboard
  let shop: Site
  let blog: Site

  const site = (of: Site, below = '') => killed.world.path(`/sites/${of.id}${below}`)
  const last = async (path: string, body: object = {}) =>
    (await killed.world.dashboard.stream('POST', path, body)).at(-1)?.event
  const begins = (path: string, body: object = {}) => {
    // The answer ends with the dashboard.
    killed.world.dashboard.call('POST', path, body).catch(() => undefined)
  }

  async function created(domain: string): Promise<Site> {
    const { dashboard, path } = killed.world
    const input = { domain, php: '8.2', tls: 'none' }
    const answer = await dashboard.call('POST', path('/sites'), input)
    expect(await endOf(dashboard, answer)).toMatchObject({ event: 'complete' })
    const [row] = killed.query<Site>('select id, user from sites where domain = ?', domain)
    if (!row) throw new Error(`${domain} is not recorded`)
    return row
  }

  const write = async (text: string) => {
    const { host } = killed.world
    await host.put(`/srv/www/${shop.user}/public/page.html`, text)
    const sql = `CREATE OR REPLACE TABLE marks (text VARCHAR(9)); INSERT INTO marks VALUES ('${text}')`
    await host.must(['mariadb', shop.user], { input: sql })
  }
  const state = async () => {
    const { host } = killed.world
    const page = await host.must(['cat', `/srv/www/${shop.user}/public/page.html`])
    return [
      page.trim(),
      (await host.must(['mariadb', shop.user, '-Ne', 'SELECT text FROM marks'])).trim(),
    ]
  }

  /** Dashboard, agent and repository agree on an operation that was started once. */
  async function expectOnce(of: Site, id: string, moment: Moment, backups: number) {
    const events = killed.events(id)
    expect([moment, events]).toEqual([moment, killed.eventsOfAgent(id)])
    expect(events.filter(([event]) => event !== 'log')).toEqual([['complete', '']])
    const refreshed = await killed.world.dashboard.call('POST', site(of, '/backups/refresh'))
    expect([moment, refreshed.body]).toEqual([moment, { gone: 0, found: 0 }])
    const rows = killed.query('select id from backups where site_id = ?', of.id)
    // Of the database, the files and the manifest.
    expect([moment, rows.length, await killed.snapshots(of.user)]).toEqual([
      ...[moment, backups, 3 * backups],
    ])
  }

  beforeAll(async () => {
    killed = await KilledDashboard.start()
    shop = await created('shop.example.test')
    blog = await created('blog.example.test')
    await write('saved')
    expect(await last(site(shop, '/backups'))).toBe('complete')
    expect(await last(site(blog, '/backups'))).toBe('complete')
  }, 10 * MINUTES)
  afterAll(() => killed?.world.stop(), 5 * MINUTES)

  test('in the middle of a backup has it once after its restart, complete and as the agent recorded it', async () => {
    for (const [done, moment] of MOMENTS.entries()) {
      begins(site(shop, '/backups'))
      const id = await killed.appears(shop.id, 'backup.create', done + 1)

      expect([moment, await killed.killedAt(id, moment)]).toEqual([moment, 'success'])

      expect(killed.operations(shop.id, 'backup.create')).toHaveLength(done + 2)
      await expectOnce(shop, id, moment, done + 2)
    }
  })

  test('in the middle of a restore has restored the site once, and can undo it', async () => {
    const [backup] = killed.query<{ id: number }>('select min(id) as id from backups')
    const saved = MOMENTS.length + 1
    await write('changed')
    for (const [done, moment] of MOMENTS.entries()) {
      const parts = { files: true, database: true }
      begins(site(shop, '/backups/restore'), { backup_id: backup?.id, parts })
      const id = await killed.appears(shop.id, 'backup.restore', done)

      expect([moment, await killed.killedAt(id, moment)]).toEqual([moment, 'success'])

      expect([moment, await state()]).toEqual([moment, ['saved', 'saved']])
      expect(killed.operations(shop.id, 'backup.restore')).toHaveLength(done + 1)
      await expectOnce(shop, id, moment, saved)
      expect(await last(site(shop, '/backups/undo'))).toBe('complete')
      expect([moment, await state()]).toEqual([moment, ['changed', 'changed']])
    }
  })

  test('while it starts due backups starts none twice, and forgets none', async () => {
    const [ofShop, ofBlog] = [shop, blog].map(({ id }) => killed.operations(id, 'backup.create'))
    const known = new Map([
      [shop.id, ofShop?.length ?? 0],
      [blog.id, ofBlog?.length ?? 0],
    ])
    await killed.world.dashboard.call('PUT', '/api/settings/backup_every', { value: 'daily' })
    await killed.age(3)
    const started = (of: Site) => killed.appears(of.id, 'backup.create', known.get(of.id) ?? 0)

    // One at a time on a server: the second is started by the dashboard after the first kill.
    const first = await Promise.race(
      [shop, blog].map(async (of) => ({ of, id: await started(of) })),
    )
    expect(await killed.killedAt(first.id, 0)).toBe('success')
    const of = first.of === shop ? blog : shop
    const second = { of, id: await started(of) }
    expect(await killed.killedAt(second.id, 'unseen')).toBe('success')

    for (const { of, id } of [first, second]) {
      const made = (known.get(of.id) ?? 0) + 1
      expect(killed.operations(of.id, 'backup.create')).toHaveLength(made)
      await expectOnce(of, id, 'unseen', made)
    }
  })
})
