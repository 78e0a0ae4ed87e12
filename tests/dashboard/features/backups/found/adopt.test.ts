import { expect } from 'bun:test'
import { backups } from '#dashboard/kernel/db/backup-schema.ts'
import { addSite } from '#tests/support/dashboard/backup-fleet.ts'
import { confirmKit, kit, SECRET, sealed } from '#tests/support/dashboard/backups.ts'
import {
  backup,
  FORGED,
  found,
  listed,
  OLD,
  storageTest as test,
} from '#tests/support/dashboard/found-backups.ts'

const { at, recorded_at } = backups

test('the repositories of a target are found with their sealed passwords, by a server', async ({
  asked,
  dashboard,
  search,
}) => {
  expect((await search()).status).toBe(409)
  await confirmKit(dashboard)

  const { status, body } = await search({ repositories: ['shop_k3f9'], after: 'a' })

  expect([status, body]).toEqual([
    200,
    {
      ...{ is_listed: true, next: null, unnamed: 0 },
      dashboard_key: expect.stringContaining('PUBLIC KEY'),
      repositories: found.repositories.map((one) => ({ ...one, backups: 0 })),
    },
  ])
  expect(asked).toEqual([
    {
      ...{ path: '/backups/find', repositories: ['shop_k3f9'], after: 'a' },
      target: expect.objectContaining({ secret: SECRET }),
    },
  ])
  expect((await search({ target_id: 99 })).body.fields).toEqual({
    target_id: ['Is not a backup target'],
  })
})

test('found backups are recorded with the password that opens them, and can be restored', async ({
  agent,
  asked,
  dashboard,
  search,
  adopt,
}) => {
  await confirmKit(dashboard)
  const { dashboard_key } = (await search()).body

  const passwords = [sealed(FORGED, dashboard_key), sealed(OLD, dashboard_key)]
  const first = await adopt(passwords)
  const again = await adopt(passwords)

  const adopted = { repository: 'shop_k3f9', domain: 'shop.example', backups: 2 }
  const last_at = '2026-01-02T00:00:00.000Z'
  expect([first.body, again.body]).toEqual([
    { ...adopted, added: 2, last_at },
    { ...adopted, added: 0, last_at },
  ])
  expect(asked.at(-1)).toMatchObject({ repository: 'shop_k3f9', passwords: [FORGED, OLD] })
  const { gone, targets } = (await dashboard.call('GET', '/api/fleet/backups')).body
  expect(gone).toEqual([
    {
      ...{ domain: 'shop.example', target: 'Backup server', count: 2, bytes: 2000 },
      ...{ backup_id: 2, last_at },
    },
  ])
  expect(targets[0].backups).toBe(2)
  const times = await dashboard.db.read.select({ at, recorded_at }).from(backups).orderBy(at)
  expect(times).toEqual([1, 2].map((day) => ({ at: backup(day).at, recorded_at: backup(day).at })))
  const older = await dashboard.call('GET', '/api/fleet/backups/gone?domain=shop.example')
  expect(older.body.backups.map((each: { at: string }) => each.at)).toEqual(
    [2, 1].map((day) => backup(day).at),
  )
  expect((await search()).body.repositories[0].backups).toBe(2)
  const record = JSON.stringify(await dashboard.call('GET', '/api/activity?type=backup.adopt'))
  expect(record).toContain('"domain":"shop.example"')
  const restored = Promise.withResolvers<Record<string, unknown>>()
  agent.works.set('site.clone', async function* (params) {
    restored.resolve(params)
    yield 'Fetching the backup'
    throw new Error('enough')
  })
  await dashboard.call('POST', '/api/servers/1/sites/clone', {
    ...{ domain: 'shop.example', php: '8.2', from: { kind: 'backup', backup_id: 2 } },
  })
  expect((await restored.promise).from).toMatchObject({
    ...{ kind: 'backup', repository: 'shop_k3f9', password: OLD, backup: '2'.repeat(64) },
    target: { secret: SECRET },
  })
})

test('backups that were found before their site belong to it after the next search', async ({
  dashboard,
  search,
  adopt,
}) => {
  await confirmKit(dashboard)
  const { dashboard_key } = (await search()).body
  const passwords = [sealed(FORGED, dashboard_key), sealed(OLD, dashboard_key)]
  await adopt(passwords)
  const site = (user: string) => addSite(dashboard, 1, { domain: 'shop.example', user })
  const other = await site('shop_0000')
  const before = await dashboard.call('GET', `/api/servers/1/sites/${other}/backups`)
  await dashboard.db.write((queries) => queries.run('delete from sites'))
  const own = await site('shop_k3f9')

  expect((await adopt(passwords)).body.added).toBe(0)

  const shown = await dashboard.call('GET', `/api/servers/1/sites/${own}/backups`)
  expect([before, shown].map(({ body }) => body.backups.length)).toEqual([0, 2])
  expect((await dashboard.call('GET', '/api/fleet/backups')).body.gone).toEqual([])
})

test('a backup from a clock that is ahead is recorded and shown no later than now', async ({
  answer,
  dashboard,
  search,
  adopt,
}) => {
  await confirmKit(dashboard)
  answer('/backups/list', {
    ...listed,
    backups: [{ ...backup(2), at: '2999-01-01T00:00:00.000Z' }, backup(1)],
  })
  const { dashboard_key } = (await search()).body
  const passwords = [sealed(FORGED, dashboard_key), sealed(OLD, dashboard_key)]
  const adopted = await adopt(passwords)

  const [, row] = await dashboard.db.read.select({ at, recorded_at }).from(backups)

  expect(adopted.body.last_at).toBe(backup(1).at)
  const { gone } = (await dashboard.call('GET', '/api/fleet/backups')).body
  expect(gone[0].last_at).toBe(row?.recorded_at)
  const id = await addSite(dashboard, 1, { domain: 'shop.example', user: 'shop_k3f9' })
  await adopt(passwords)
  const shown = (await dashboard.call('GET', `/api/servers/1/sites/${id}/backups`)).body.backups
  expect(shown.map((one: { is_ahead: boolean }) => one.is_ahead)).toEqual([true, false])
  expect(row?.at).toBe('2999-01-01T00:00:00.000Z')
  expect(Date.parse(row?.recorded_at ?? '')).toBeLessThanOrEqual(
    dashboard.deps.clock.now().getTime(),
  )
})

test('passwords must be encrypted to this dashboard, and one must open the repository', async ({
  agent,
  answer,
  dashboard,
  search,
  adopt,
}) => {
  await confirmKit(dashboard)
  const { dashboard_key } = (await search()).body

  expect((await adopt([sealed(OLD, kit.publicKey)])).body.fields).toEqual({
    sealed_passwords: ['Must be encrypted to the key of this dashboard'],
  })
  const refusal = { error: 'Conflict', message: 'The password does not open the repository' }
  agent.answers.set('/backups/list', () => Response.json(refusal, { status: 409 }))
  const { status, body } = await adopt([sealed(OLD, dashboard_key)])
  expect([status, body]).toEqual([409, refusal])
  answer('/backups/list', listed)
  expect((await dashboard.call('GET', '/api/fleet/backups')).body.gone).toEqual([])
})
