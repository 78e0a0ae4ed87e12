// tier: gate
import { describe, expect } from 'bun:test'
import { eq } from 'drizzle-orm'
import { backup_kits } from '#dashboard/kernel/db/backup-schema.ts'
import { backup_repositories } from '#dashboard/kernel/db/repositories-schema.ts'
import { PASSWORD, sealed, streamed } from '#tests/support/dashboard/backups.ts'
import { twoServers } from '#tests/support/dashboard/copies.ts'
import { until } from '#tests/support/dashboard/dashboard.ts'
import { events, movingServers } from '#tests/support/dashboard/moves.ts'
import {
  backupsOf,
  repositoriesOf,
  serversOf,
  siteAt,
  workOf,
} from '#tests/support/dashboard/repositories.ts'
import { testWith } from '#tests/support/fixture.ts'

const test = testWith(twoServers)

describe('the repository of a site', () => {
  test('belongs to it, and its server keeps the password', async (all) => {
    const { at, user } = await siteAt(all)

    await streamed(all.dashboard, at)
    await streamed(all.dashboard, at)

    expect(backupsOf(all.one)).toEqual([
      { repository: user, is_begun: false, password: 'none' },
      { repository: user, is_begun: true, password: 'none' },
    ])
    expect((await repositoriesOf(all)).map(({ name, site_id }) => [name, site_id])).toEqual([
      [user, all.shop],
    ])
    expect(await serversOf(all)).toEqual([[user, all.first]])
  })

  test('is another one if its creation was interrupted', async (all) => {
    const { at, user } = await siteAt(all)
    all.one.agent.passwords.incomplete.add(user)

    const { text } = await streamed(all.dashboard, at)

    expect(text).toContain('event: complete')
    expect(backupsOf(all.one)).toEqual([
      { repository: `${user}-2`, is_begun: false, password: 'none' },
    ])
    expect((await repositoriesOf(all)).map(({ name }) => name)).toEqual([`${user}-2`])
    expect(await serversOf(all)).toEqual([
      [user, all.first],
      [`${user}-2`, all.first],
    ])
  })

  test('stays the same if an agent refuses one that has backups', async (all) => {
    const { at, user } = await siteAt(all)
    await streamed(all.dashboard, at)
    const before = await repositoriesOf(all)
    all.one.agent.passwords.incomplete.add(user)

    const { text } = await streamed(all.dashboard, at)

    expect(text).toContain('The creation of the repository was interrupted')
    expect(await repositoriesOf(all)).toEqual(before)
  })

  test('is another one after a copy of a backup on another server', async (all) => {
    const { at, user } = await siteAt(all)
    await streamed(all.dashboard, at)
    const backup_id = (await all.dashboard.call('GET', at)).body.backups[0].id
    const from = { kind: 'backup', backup_id }
    const { body } = await all.clone(all.second, { domain: 'copy.example', php: '8.2', from })
    await until(async () => (await all.site(body.site.id)).status === 'active')

    await streamed(all.dashboard, at)
    await streamed(all.dashboard, at)

    expect(backupsOf(all.one)).toEqual([
      { repository: user, is_begun: false, password: 'none' },
      { repository: `${user}-2`, is_begun: false, password: 'none' },
      { repository: `${user}-2`, is_begun: true, password: 'none' },
    ])
    expect(all.two.given[0]?.['site.clone']?.from).toMatchObject({ repository: user })
    expect((await all.dashboard.call('GET', at)).body.backups).toHaveLength(3)
  })

  test('stays the same after the plan of such a copy, and after one on its own server', async (all) => {
    const { at, user } = await siteAt(all)
    await streamed(all.dashboard, at)
    const backup_id = (await all.dashboard.call('GET', at)).body.backups[0].id
    const from = { kind: 'backup', backup_id }
    const copy = { domain: 'copy.example', php: '8.2', from }
    await all.clone(all.second, { ...copy, dry_run: true })
    const { body } = await all.clone(all.first, copy)
    await until(async () => (await all.site(body.site.id)).status === 'active')

    await streamed(all.dashboard, at)

    expect(backupsOf(all.one).map(({ repository }) => repository)).toEqual([user, user])
  })

  test('is another one after a move; earlier backups stay those of the site', async () => {
    await using all = await movingServers()
    const { user } = await siteAt(all)
    await events(all, 'move', { server_id: all.second })
    const { at } = await siteAt(all)

    await streamed(all.dashboard, at)

    expect([backupsOf(all.one), backupsOf(all.two)]).toEqual([
      [{ repository: user, is_begun: false, password: 'none' }],
      [{ repository: `${user}-2`, is_begun: false, password: 'none' }],
    ])
    const { backups } = (await all.dashboard.call('GET', at)).body
    expect(backups).toHaveLength(2)
    expect(await serversOf(all)).toEqual([
      [user, all.first],
      [user, all.second],
      [`${user}-2`, all.second],
    ])
    const parts = { files: true, database: true }
    const first = Math.min(...backups.map(({ id }: { id: number }) => id))
    await streamed(all.dashboard, `${at}/restore`, { backup_id: first, parts })
    const restored = all.two.given.flatMap((each) => each['backup.restore'] ?? [])
    expect(restored).toMatchObject([{ repository: user, password: PASSWORD }])
  })

  test('is a new one for another target, with a name that no other has', async (all) => {
    const { at, user } = await siteAt(all)
    await streamed(all.dashboard, at)
    const other = { name: 'Other', place: { kind: 'local', path: '/mnt/other' }, secret: '' }
    const { body } = await all.dashboard.call('POST', '/api/backup-targets', other)
    const target_id = body.target.id
    await streamed(all.dashboard, `/api/servers/${all.first}/backup-check`, { target_id })

    await streamed(all.dashboard, at, { target_id })
    await streamed(all.dashboard, at)

    expect(backupsOf(all.one).map(({ repository }) => repository)).toEqual([
      ...[user, `${user}-2`, user],
    ])
  })

  test('has no name that a deleted target had', async (all) => {
    const { at, user } = await siteAt(all)
    const { db } = all.dashboard
    await streamed(all.dashboard, at)
    await db.write((queries) => queries.delete(backup_repositories))

    await streamed(all.dashboard, at)

    expect((await repositoriesOf(all)).map(({ name }) => name)).toEqual([`${user}-2`])
  })
})

test('a server that has lost the password gets it in the same backup', async (all) => {
  const { at, user } = await siteAt(all)
  await streamed(all.dashboard, at)
  all.one.agent.passwords.kept.clear()

  const { text } = await streamed(all.dashboard, at)
  await streamed(all.dashboard, at)

  expect(text).toContain('event: complete')
  expect(all.one.agent.passwords.openings).toEqual([
    ['backup.create', user],
    ['backup.create', user, 'with its password'],
    ['backup.create', user],
  ])
  expect(backupsOf(all.one).map(({ password }) => password)).toEqual(['none', PASSWORD, 'none'])
})

describe('a stolen server', () => {
  test.each(['victim', 'hosting-dashboard', 'root', 'hosting-keeper'])(
    'whose site has the system user %s on record gets no password of others',
    async (all, claimed) => {
      const { at } = await siteAt(all)
      const { db } = all.dashboard
      const [kit] = await db.read.select().from(backup_kits)
      const sealed_password = sealed(PASSWORD, kit?.dashboard_key)
      const known = { target_id: 1, kit_id: Number(kit?.id), sealed_password }
      const names = ['victim', 'hosting-dashboard', 'root', 'hosting-keeper']
      await db.write((queries) =>
        queries.insert(backup_repositories).values(names.map((name) => ({ ...known, name }))),
      )
      await db.write((queries) => queries.run(`update sites set user = '${claimed}'`))

      const { text } = await streamed(all.dashboard, at)

      const [sent] = backupsOf(all.one)
      expect([text.includes('event: complete'), sent?.password]).toEqual([true, 'none'])
      expect(names).not.toContain(sent?.repository)
    },
  )

  test('cannot name the repository of another site in its result', async (all) => {
    const victim = await siteAt(all)
    await streamed(all.dashboard, victim.at)
    const add = { domain: 'evil.example', php: '8.2', tls: 'none' }
    const { body } = await all.dashboard.call('POST', `/api/servers/${all.first}/sites`, add)
    await until(async () => (await all.site(body.site.id)).status === 'active')
    const before = await repositoriesOf(all)
    const usual = workOf(all)
    all.one.agent.works.set('backup.create', async function* (params) {
      const honest = yield* usual({ ...params, repository: victim.user })
      return { ...Object(honest), present: [] }
    })

    const at = `/api/servers/${all.first}/sites/${body.site.id}/backups`
    const { text } = await streamed(all.dashboard, at)

    expect(text).toContain(
      'The agent answered with another backup.repository than it was asked for',
    )
    const after = await repositoriesOf(all)
    expect(after.filter(({ name }) => name === victim.user)).toEqual(before)
    expect((await all.dashboard.call('GET', victim.at)).body.backups).toHaveLength(1)
  })

  test('cannot replace the recorded password of a repository', async () => {
    await using all = await twoServers()
    const { at } = await siteAt(all)
    await streamed(all.dashboard, at)
    const before = await repositoriesOf(all)

    await streamed(all.dashboard, at)

    expect(await repositoriesOf(all)).toEqual(before)
  })

  test('gets no password with a backup on record that names the repository of another site', async () => {
    await using all = await twoServers()
    const { at, user } = await siteAt(all)
    const { db } = all.dashboard
    await streamed(all.dashboard, at)
    await db.write((queries) =>
      queries
        .update(backup_repositories)
        .set({ site_id: null, name: 'hosting-dashboard' })
        .where(eq(backup_repositories.name, user)),
    )
    await db.write((queries) => queries.run(`update backups set repository = 'hosting-dashboard'`))
    const parts = { files: true, database: true }

    const { text } = await streamed(all.dashboard, `${at}/restore`, { backup_id: 1, parts })

    expect(text).toContain('The password of the repository is not recorded')
    expect(all.one.given.flatMap((each) => each['backup.restore'] ?? [])).toEqual([])
  })
})
