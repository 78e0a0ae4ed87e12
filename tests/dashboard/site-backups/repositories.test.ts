import { describe, expect, test } from 'bun:test'
import { backup_repositories } from '#dashboard/db/repositories-schema.ts'
import { pinAgent } from '#dashboard/trust/queries.ts'
import { PASSWORD, streamed } from '#tests/support/dashboard/backups.ts'
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
import { Refused } from '#tests/support/fake-operation.ts'

describe('the repository of a site', () => {
  test('belongs to it, and its server keeps the password', async () => {
    await using all = await twoServers()
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
    expect(await serversOf(all)).toEqual([[user, all.first, true]])
  })

  test('is another one after a copy of a backup on another server', async () => {
    await using all = await twoServers()
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

  test('stays the same after the plan of such a copy, and after one on its own server', async () => {
    await using all = await twoServers()
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
      [user, all.first, true],
      [user, all.second, false],
      [`${user}-2`, all.second, true],
    ])
    const parts = { files: true, database: true }
    const first = Math.min(...backups.map(({ id }: { id: number }) => id))
    await streamed(all.dashboard, `${at}/restore`, { backup_id: first, parts })
    const restored = all.two.given.flatMap((each) => each['backup.restore'] ?? [])
    expect(restored).toMatchObject([{ repository: user, password: PASSWORD }])
  })

  test('is a new one for another target, with a name that no other has', async () => {
    await using all = await twoServers()
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

  test('has no name that a deleted target had', async () => {
    await using all = await twoServers()
    const { at, user } = await siteAt(all)
    const { db } = all.dashboard
    await streamed(all.dashboard, at)
    await db.write((queries) => queries.delete(backup_repositories))

    await streamed(all.dashboard, at)

    expect((await repositoriesOf(all)).map(({ name }) => name)).toEqual([`${user}-2`])
  })
})

describe('a server that has lost the password', () => {
  test('gets it once more, in a repetition of the backup', async () => {
    await using all = await twoServers()
    const { at, user } = await siteAt(all)
    await streamed(all.dashboard, at)
    const usual = workOf(all)
    all.one.agent.works.set('backup.create', async function* (params) {
      if (params.password !== undefined) return yield* usual(params)
      yield 'Connecting to the target'
      throw new Refused({ error: 'Conflict', message: 'It is lost', code: 'password_missing' })
    })

    await streamed(all.dashboard, at)

    await until(() => backupsOf(all.one).length === 2)
    expect(backupsOf(all.one)[1]).toEqual({
      ...{ repository: user, is_begun: true, password: PASSWORD },
    })
    await until(async () => (await serversOf(all))[0]?.[2] === true)
  })

  test('gets it with the next backup after its machine was enrolled again', async () => {
    await using all = await twoServers()
    const { at, user } = await siteAt(all)
    await streamed(all.dashboard, at)
    const agent = {
      server_id: all.first,
      certificate: '',
      public_key: '',
      kid: 'k',
      enrolled_at: '',
    }
    const entry = { type: 'server.enrol', domain: '', status: 'success', created_at: '' } as const
    const before = await serversOf(all)

    await pinAgent(all.dashboard.deps, agent, entry)

    expect([before, await serversOf(all)]).toEqual([
      [[user, all.first, true]],
      [[user, all.first, false]],
    ])
  })
})
