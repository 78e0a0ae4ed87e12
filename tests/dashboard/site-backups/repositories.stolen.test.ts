import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { backup_kits } from '#dashboard/db/backup-schema.ts'
import { backup_repositories } from '#dashboard/db/repositories-schema.ts'
import { PASSWORD, sealed, streamed } from '#tests/support/dashboard/backups.ts'
import { twoServers } from '#tests/support/dashboard/copies.ts'
import { until } from '#tests/support/dashboard/dashboard.ts'
import { backupsOf, repositoriesOf, siteAt, workOf } from '#tests/support/dashboard/repositories.ts'

describe('a stolen server', () => {
  test.each(['victim', 'hosting-dashboard', 'root', 'hosting-keeper'])(
    'whose site has the system user %s on record gets no password of others',
    async (claimed) => {
      await using all = await twoServers()
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

  test('cannot name the repository of another site in its result', async () => {
    await using all = await twoServers()
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
