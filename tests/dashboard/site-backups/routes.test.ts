import { describe, expect, test } from 'bun:test'
import { backups } from '#dashboard/db/backup-schema.ts'
import { operation_events, operations } from '#dashboard/db/schema.ts'
import {
  backupAgent,
  checkedTarget,
  confirmKit,
  kit,
  PASSWORD,
  place,
  SECRET,
} from '#tests/support/dashboard/backups.ts'
import { type Dashboard, makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'

async function addSite(dashboard: Dashboard, server_id: number): Promise<string> {
  const at = `/api/servers/${server_id}/sites`
  const created = await dashboard.call('POST', at, { domain: 'shop.example', php: '8.2' })
  const { id } = created.body.site
  await until(async () => {
    const { body } = await dashboard.call('GET', `/api/fleet/sites/${id}`)
    return body.site.status === 'active'
  })
  return `${at}/${id}/backups`
}

const streamed = async (dashboard: Dashboard, to: string, input: object = {}) => {
  const response = await dashboard.send('POST', to, input)
  return { status: response.status, text: await response.text() }
}

describe('the backups of a site', () => {
  test('start with a confirmed kit and a checked target only', async () => {
    const { agent } = backupAgent()
    await using _ = agent
    await using dashboard = await makeDashboard()
    const server_id = await dashboard.addServer(agent)
    const at = await addSite(dashboard, server_id)
    const obstacle = async () => (await dashboard.call('GET', at)).body.obstacle

    expect([await obstacle(), (await dashboard.call('POST', at, {})).body.message]).toEqual([
      'no_kit',
      'No recovery kit is confirmed: create one on the page Backups, and store it safely',
    ])
    await confirmKit(dashboard)
    expect([await obstacle(), (await dashboard.call('POST', at, {})).body.message]).toEqual([
      'no_target',
      'There is no backup target: add one on the page Backups',
    ])
    await checkedTarget(dashboard, server_id)
    expect(await obstacle()).toBe(null)
    expect((await dashboard.call('POST', at, { target_id: 99 })).body.fields).toEqual({
      target_id: ['Is not a backup target'],
    })
  })

  test('are recorded, restored with the password of their repository, and undone', async () => {
    const { agent, given, site } = backupAgent()
    await using _ = agent
    await using dashboard = await makeDashboard()
    const server_id = await dashboard.addServer(agent)
    const at = await addSite(dashboard, server_id)
    await confirmKit(dashboard)
    const target_id = await checkedTarget(dashboard, server_id)
    given.length = 0
    const fleet = await dashboard.call('GET', '/api/fleet/sites')
    site.user = fleet.body.sites[0].user

    expect((await streamed(dashboard, at)).text).toContain('event: complete')
    await streamed(dashboard, at)
    const first = (await dashboard.call('GET', at)).body
    const parts = { files: true, database: false }
    const backup_id = first.backups[1].id
    await streamed(dashboard, `${at}/restore`, { backup_id, parts })
    const restored = (await dashboard.call('GET', at)).body.undo
    await streamed(dashboard, `${at}/undo`)

    const target = { place, secret: SECRET }
    const keys = { dashboard_key: expect.any(String), recovery_key: kit.publicKey }
    const domain = 'shop.example'
    expect(given).toEqual([
      { 'backup.create': { domain, target, ...keys } },
      { 'backup.create': { domain, target, ...keys, password: PASSWORD } },
      {
        'backup.restore': {
          ...{ domain, target, parts, password: PASSWORD, repository: site.user },
          backup: '1'.repeat(64),
        },
      },
      { 'backup.undo': { domain } },
    ])
    const sizes = { files: 10, tables: 12, bytes: 2000, stored: 300, seconds: 2 }
    const view = { target_id, target: 'Backup server', ...sizes }
    expect(first).toEqual({
      backups: [
        { id: backup_id + 1, at: '2026-01-02T00:00:00.000Z', ...view },
        { id: backup_id, at: '2026-01-01T00:00:00.000Z', ...view },
      ],
      ...{ obstacle: null, undo: null, every: 'default', target_id: null },
      next_at: expect.any(String),
    })
    expect(restored).toEqual({ at: '2026-01-01T00:00:00.000Z', until: '2126-01-08T00:00:00.000Z' })
    expect((await dashboard.call('GET', at)).body.undo).toBe(null)
  })

  test('leave no secret in records, events and answers', async () => {
    const { agent } = backupAgent()
    await using _ = agent
    await using dashboard = await makeDashboard()
    const server_id = await dashboard.addServer(agent)
    const at = await addSite(dashboard, server_id)
    await confirmKit(dashboard)
    await checkedTarget(dashboard, server_id)
    const { text } = await streamed(dashboard, at)
    await streamed(dashboard, at)

    const { db } = dashboard
    const rows = [
      await db.read.select().from(operations),
      await db.read.select().from(operation_events),
      (await dashboard.call('GET', '/api/fleet/operations')).body,
      text,
    ]

    const shown = JSON.stringify(rows)
    expect([shown.includes(SECRET), shown.includes(PASSWORD)]).toEqual([false, false])
    expect(text).not.toContain('sealed_password')
  })

  test('stay on record when their site is gone, and keep their target', async () => {
    const { agent } = backupAgent()
    await using _ = agent
    await using dashboard = await makeDashboard()
    const server_id = await dashboard.addServer(agent)
    const at = await addSite(dashboard, server_id)
    await confirmKit(dashboard)
    const target_id = await checkedTarget(dashboard, server_id)
    await streamed(dashboard, at)

    await dashboard.send('DELETE', `/api/servers/${server_id}`)

    const [row] = await dashboard.db.read.select().from(backups)
    expect(row).toMatchObject({ domain: 'shop.example', site_id: null, server_id: null })
    const { status, body } = await dashboard.call('DELETE', `/api/backup-targets/${target_id}`)
    expect([status, body.message]).toEqual([
      409,
      'Backup server has 1 backups, which could not be restored',
    ])
  })
})
