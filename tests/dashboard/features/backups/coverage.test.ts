import { expect, test } from 'bun:test'
import { backups } from '#dashboard/kernel/db/backup-schema.ts'
import { operations } from '#dashboard/kernel/db/schema.ts'
import { backupAgent, checkedTarget, confirmKit } from '#tests/support/dashboard/backups.ts'
import { ending, makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'

const ago = (days: number) => new Date(Date.now() - days * 24 * 3600_000).toISOString()
const OLD = ago(8)
const TIME = expect.stringMatching(/^\d{4}-.*Z$/)

async function fleet() {
  const { agent } = backupAgent({ now: () => new Date() })
  const dashboard = await makeDashboard()
  const server_id = await dashboard.addServer(agent)
  const add = async (domain: string): Promise<number> => {
    const id = await dashboard.addSite(server_id, { domain, php: '8.2' })
    return id
  }
  await confirmKit(dashboard)
  const target_id = await checkedTarget(dashboard, server_id)
  const insert = (site_id: number | null, domain: string, at: string, bytes = 5) => {
    const sizes = { files: 1, bytes, stored: 1, tables: 1, seconds: 1 }
    const place = { target_id, repository: 'shop', snapshot: '1'.repeat(64), server_id }
    return dashboard.db.write((queries) =>
      queries.insert(backups).values({ site_id, domain, at, recorded_at: at, ...place, ...sizes }),
    )
  }
  return { dashboard, server_id, target_id, add, insert, ...ending(dashboard, agent) }
}

test('the coverage has the state of each site, the counts of all, and backups of sites that are gone', async () => {
  await using all = await fleet()
  const { dashboard, server_id, add, insert } = all
  const [fresh, late, never, off] = [
    await add('fresh.example'),
    await add('late.example'),
    await add('never.example'),
    await add('off.example'),
  ]
  const NEW = ago(0)
  await insert(fresh, 'fresh.example', NEW)
  await insert(late, 'late.example', OLD)
  await insert(null, 'gone.example', ago(9), 3)
  await insert(null, 'gone.example', ago(8), 4)
  const at = `/api/servers/${server_id}/sites/${off}/backups/settings`
  await dashboard.call('PUT', at, { every: 'off', target_id: null })
  const failed = { type: 'backup.create', server_id, site_id: late, status: 'failed' } as const
  await dashboard.db.write((queries) =>
    queries.insert(operations).values({
      ...{ ...failed, id: 'failed', domain: 'late.example', params: {} },
      ...{ error: { error: 'Internal error', message: 'The disk is full' } },
      ...{ created_at: ago(1), finished_at: ago(1), deadline_at: ago(1) },
    }),
  )

  const { body } = await dashboard.call('GET', '/api/fleet/backups')

  const server = { server_id, server: expect.any(String) }
  const nothing = { last_at: null, proven_at: null, bytes: null, target: null, last_error: null }
  const stored = { proven_at: null, bytes: 5, target: 'Backup server' }
  const { kit, targets, ...rest } = body
  expect([kit.confirmed_at, targets.length]).toEqual([TIME, 1])
  expect(rest).toEqual({
    counts: {
      ...{ sites: 4, ok: 1, unproven: 0, failed: 0, late: 1, never: 1, off: 1 },
      ...{ week: 1, unproven_week: 1 },
    },
    sites: [
      {
        ...{ id: fresh, domain: 'fresh.example', ...server, state: 'ok', next_at: TIME },
        ...{ ...stored, last_at: NEW, last_error: null },
      },
      {
        ...{ id: late, domain: 'late.example', ...server, state: 'late', next_at: TIME },
        ...{ ...stored, last_at: OLD, last_error: 'The disk is full' },
      },
      { id: never, domain: 'never.example', ...server, state: 'never', next_at: TIME, ...nothing },
      { id: off, domain: 'off.example', ...server, state: 'off', next_at: null, ...nothing },
    ],
    ...{ total: 4, page: 1, per_page: 50 },
    gone: [
      {
        ...{ domain: 'gone.example', target: 'Backup server', count: 2, backup_id: 4 },
        ...{ last_at: TIME, bytes: 4 },
      },
    ],
  })
  const of = async (query: string) => {
    const page = (await dashboard.call('GET', `/api/fleet/backups?${query}`)).body
    return [page.total, page.sites.map(({ domain }: { domain: string }) => domain)]
  }
  expect(await of('state=late,never')).toEqual([2, ['late.example', 'never.example']])
  expect(await of('q=fresh')).toEqual([1, ['fresh.example']])
  expect(await of('server_id=99')).toEqual([0, []])
  expect(await of('per_page=2&page=2')).toEqual([4, ['never.example', 'off.example']])
  expect((await dashboard.call('GET', '/api/fleet/backups?state=bad')).status).toBe(422)
})

test('a site has its own interval and target, which its backups use', async () => {
  await using all = await fleet()
  const { dashboard, server_id, add } = all
  const id = await add('shop.example')
  const at = `/api/servers/${server_id}/sites/${id}/backups`
  const local = { kind: 'local', path: '/mnt/backup' }
  const added = await dashboard.call('POST', '/api/backup-targets', { name: 'own', place: local })
  const own = added.body.target.id

  const exclude = ['wp-content/uploads/videos', '**/node_modules']
  const changed = await dashboard.call('PUT', `${at}/settings`, {
    ...{ every: 'weekly', target_id: own, exclude },
  })
  const wrong = await dashboard.call('PUT', `${at}/settings`, { every: 'hourly', target_id: 99 })
  const unknown = await dashboard.call('PUT', `${at}/settings`, { every: 'off', target_id: 99 })
  const outside = await dashboard.call('PUT', `${at}/settings`, {
    ...{ every: 'off', target_id: null, exclude: ['../other'] },
  })

  const from = { kind: 'site', tag: null }
  expect(changed.body).toEqual({
    ...{ every: 'weekly', target_id: own, exclude, next_at: null, backup_first: null },
    in_effect: {
      ...{ every: 'weekly', every_from: from, target_id: own, target_from: from },
      ...{ backup_first: true, backup_first_from: { kind: 'fleet', tag: null } },
    },
  })
  expect(wrong.body.fields).toEqual({ every: ['Must be one of default, off, daily, weekly'] })
  expect(unknown.body.fields).toEqual({ target_id: ['Is not a backup target'] })
  expect(Object.keys(outside.body.fields)).toEqual(['exclude'])
  expect((await dashboard.call('POST', at, {})).body.message).toBe(
    'own has not been checked: check it from a server on the page Backups',
  )
  expect((await dashboard.call('GET', at)).body).toEqual({
    ...{
      backups: [],
      gone: [],
      obstacle: 'target_unchecked',
      undo: null,
      requested: null,
      ...changed.body,
      next_proof_at: null,
    },
  })
  const { body } = await dashboard.call('GET', '/api/fleet/activity?type=backup.settings')
  expect(body.activities).toMatchObject([{ domain: 'shop.example', status: 'success' }])

  await dashboard.send('DELETE', `/api/backup-targets/${own}`)
  expect((await dashboard.call('GET', at)).body).toMatchObject({ target_id: null, next_at: TIME })
})

test('the backups of a site that is deleted permanently stay recorded', async () => {
  await using all = await fleet()
  const { dashboard, server_id, add } = all
  const id = await add('shop.example')
  const at = `/api/servers/${server_id}/sites/${id}`
  await (await dashboard.send('POST', `${at}/backups`, {})).text()
  const gone = async () => (await dashboard.call('GET', '/api/fleet/backups')).body.gone

  await (await dashboard.send('DELETE', at)).text()
  await until(async () => (await dashboard.call('GET', '/api/trash')).body.trash.length === 1)
  expect(await gone()).toEqual([])
  await (await dashboard.send('POST', `${at}/purge`, { domain: 'shop.example' })).text()

  const [left] = await until(async () => {
    const found = await gone()
    return found.length > 0 && found
  })
  expect(left).toEqual({
    ...{ domain: 'shop.example', target: 'Backup server', count: 1, backup_id: 1 },
    ...{ last_at: TIME, bytes: 2000 },
  })
})
