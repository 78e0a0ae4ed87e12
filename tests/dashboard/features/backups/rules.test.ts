import { expect, test } from 'bun:test'
import { startDueBackups } from '#dashboard/features/backups/start-due-backups.ts'
import { addSite, fleet, HOUR_MS, home } from '#tests/support/dashboard/backup-fleet.ts'
import type { Dashboard } from '#tests/support/dashboard/dashboard.ts'
import { ended } from '#tests/support/dashboard/operations.ts'

const RULES = '/api/backup-rules'
/** In the version that is read before. */
const put = async (dashboard: Dashboard, rules: object[]) => {
  const { version } = (await dashboard.call('GET', RULES)).body
  return dashboard.call('PUT', RULES, { rules, version })
}
const tag = (dashboard: Dashboard, id: number, tags: string[]) =>
  dashboard.call('PATCH', `/api/servers/${id}`, { tags })
/** A second target, which a server has checked. */
const otherTarget = async (dashboard: Dashboard, server_id: number) => {
  const place = { kind: 'local', path: '/mnt/other' }
  const { body } = await dashboard.call('POST', '/api/backup-targets', { name: 'other', place })
  const target_id: number = body.target.id
  await (
    await dashboard.send('POST', `/api/servers/${server_id}/backup-check`, { target_id })
  ).text()
  return target_id
}

test('a site uses its own value, else that of the first tag with one, else that of the fleet', async () => {
  await using all = await fleet()
  const { dashboard, server_id } = all
  const site_id = await addSite(dashboard, server_id)
  await tag(dashboard, server_id, ['b', 'c', 'a'])
  const other = await otherTarget(dashboard, server_id)
  const at = `/api/servers/${server_id}/sites/${site_id}/backups`
  const inEffect = async () => (await dashboard.call('GET', at)).body.in_effect
  const fromFleet = { kind: 'fleet', tag: null }
  const first = { backup_first: true, backup_first_from: fromFleet }
  expect(await inEffect()).toEqual({
    ...{ every: 'daily', every_from: fromFleet, target_id: 1, target_from: fromFleet },
    ...first,
  })

  const rest = { backup_first: null, per_server: null }
  const { status, body } = await put(dashboard, [
    { tag: 'c', every: 'off', target_id: null },
    { tag: 'b', every: 'weekly', target_id: other },
    { tag: 'a', every: 'default', target_id: null },
    { tag: 'none', every: 'off', target_id: 1 },
  ])

  expect([status, body.rules]).toEqual([
    200,
    [
      { tag: 'a', every: 'default', target_id: null, ...rest, servers: 1 },
      { tag: 'b', every: 'weekly', target_id: other, ...rest, servers: 1 },
      { tag: 'c', every: 'off', target_id: null, ...rest, servers: 1 },
      { tag: 'none', every: 'off', target_id: 1, ...rest, servers: 0 },
    ],
  ])
  expect((await dashboard.call('GET', RULES)).body).toEqual(body)
  const fromTag = { kind: 'tag', tag: 'b' }
  expect(await inEffect()).toEqual({
    ...{ every: 'weekly', every_from: fromTag, target_id: other, target_from: fromTag },
    ...first,
  })
  await dashboard.call('PUT', `${at}/settings`, { every: 'daily', target_id: 1 })
  const own = { kind: 'site', tag: null }
  expect(await inEffect()).toEqual({
    ...{ every: 'daily', every_from: own, target_id: 1, target_from: own },
    ...first,
  })
})

test('the rules of a tag decide when and where a site is backed up', async () => {
  await using all = await fleet()
  const { dashboard, agent, forward, server_id } = all
  const other = await home(dashboard, agent)
  const site = await addSite(dashboard, server_id)
  const off = await addSite(dashboard, other)
  await tag(dashboard, server_id, ['far'])
  await tag(dashboard, other, ['test'])
  const target = await otherTarget(dashboard, server_id)
  const rules = [
    { tag: 'far', every: 'default', target_id: target },
    { tag: 'test', every: 'off', target_id: null },
  ]
  await put(dashboard, rules)

  forward(16.5 * HOUR_MS)
  await dashboard.signIn()
  await startDueBackups(dashboard.deps)

  const { body } = await dashboard.call('GET', '/api/operations?type=backup.create')
  expect(body.operations.map((each: { site_id: number }) => each.site_id)).toEqual([site])
  await ended(dashboard, body.operations[0].id)
  const of = async (server: number, id: number) =>
    (await dashboard.call('GET', `/api/servers/${server}/sites/${id}/backups`)).body
  const made = await of(server_id, site)
  expect(made.backups.map((each: { target_id: number }) => each.target_id)).toEqual([target])
  expect((await of(other, off)).next_at).toBe(null)
  const { counts } = (await dashboard.call('GET', '/api/fleet/backups')).body
  expect(counts).toMatchObject({ ok: 1, off: 1 })
})

test('rules with an unknown target, and two of one tag, are refused', async () => {
  await using all = await fleet({ ready: false })
  const { dashboard } = all
  const refused = async (...rules: object[]) => (await put(dashboard, rules)).body.fields

  expect(await refused({ tag: 'a', every: 'daily', target_id: 99 })).toEqual({
    rules: ['The target of a is not a backup target'],
  })
  const rule = { tag: 'a', every: 'daily', target_id: null }
  expect(await refused(rule, rule)).toEqual({ rules: ['Must have one rule for each tag'] })
  expect(await refused({ ...rule, every: 'hourly' })).toEqual({
    rules: ['Entry 1, every: Must be one of default, off, daily, weekly'],
  })
  expect(await refused({ ...rule, per_server: 4 })).toEqual({
    rules: ['Entry 1, per_server: Must be between 1 and 3'],
  })
})

test('rules that somebody has changed meanwhile are not replaced', async () => {
  await using all = await fleet({ ready: false })
  const { dashboard } = all
  const rule = (tag: string) => ({ tag, every: 'daily', target_id: null })
  const read = (await dashboard.call('GET', RULES)).body.version

  const first = await dashboard.call('PUT', RULES, { rules: [rule('a')], version: read })
  const second = await dashboard.call('PUT', RULES, { rules: [rule('b')], version: read })
  const without = await dashboard.call('PUT', RULES, { rules: [rule('b')] })
  const { version } = first.body
  const both = await Promise.all(
    ['c', 'd'].map((each) => dashboard.call('PUT', RULES, { rules: [rule(each)], version })),
  )

  expect([first.status, second.status, second.body.code]).toEqual([200, 409, 'changed_meanwhile'])
  expect(Object.keys(without.body.fields)).toEqual(['version'])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  const { rules } = (await dashboard.call('GET', RULES)).body
  expect(rules).toHaveLength(1)
})
