import { describe, expect, test } from 'bun:test'
import { backups } from '#dashboard/kernel/db/backup-schema.ts'
import { operation_events, operations } from '#dashboard/kernel/db/schema.ts'
import {
  addSite,
  backupAgent,
  checkedTarget,
  confirmKit,
  kit,
  PASSWORD,
  place,
  SECRET,
  streamed,
} from '#tests/support/dashboard/backups.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { passwordIdOf } from '#tests/support/repository-password.ts'

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

  test('are recorded, restored with the password that their server has, and undone', async () => {
    const { agent, given } = backupAgent()
    await using _ = agent
    await using dashboard = await makeDashboard()
    const server_id = await dashboard.addServer(agent)
    const at = await addSite(dashboard, server_id)
    await confirmKit(dashboard)
    const target_id = await checkedTarget(dashboard, server_id)
    given.length = 0
    const fleet = await dashboard.call('GET', '/api/fleet/sites')
    const { user: repository } = fleet.body.sites[0]

    expect((await streamed(dashboard, at)).text).toContain('event: complete')
    const keeper_key = kit.publicKey
    await dashboard.call('PATCH', `/api/backup-targets/${target_id}`, { keeper_key })
    await streamed(dashboard, at)
    const first = (await dashboard.call('GET', at)).body
    const parts = { files: true, database: false }
    const backup_id = first.backups[1].id
    await streamed(dashboard, `${at}/restore`, { backup_id, parts })
    const restored = (await dashboard.call('GET', at)).body.undo
    await streamed(dashboard, `${at}/undo`)

    const target = { place, secret: SECRET }
    const keys = {
      ...{ dashboard_key: expect.any(String), recovery_key: kit.publicKey },
      exclude: [],
    }
    const domain = 'shop.example'
    const password_id = passwordIdOf(PASSWORD)
    expect(given).toEqual([
      { 'backup.create': { domain, target, ...keys, repository } },
      { 'backup.create': { domain, target, ...keys, keeper_key, repository, password_id } },
      {
        'backup.restore': {
          ...{ domain, target, parts, password_id, repository },
          backup: '1'.repeat(64),
        },
      },
      { 'backup.undo': { domain } },
    ])
    const sizes = { files: 10, tables: 12, bytes: 2000, stored: 300, seconds: 2 }
    const view = {
      is_ahead: false,
      target_id,
      target: 'Backup server',
      ...sizes,
      excluded: [],
      proof: null,
    }
    expect(first).toEqual({
      backups: [
        { id: backup_id + 1, at: '2026-01-02T00:00:00.000Z', ...view },
        { id: backup_id, at: '2026-01-01T00:00:00.000Z', ...view },
      ],
      gone: [],
      requested: null,
      ...{ obstacle: null, undo: null, every: 'default', target_id: null, exclude: [] },
      backup_first: null,
      in_effect: {
        ...{ every: 'daily', every_from: { kind: 'fleet', tag: null } },
        ...{ target_id, target_from: { kind: 'fleet', tag: null } },
        ...{ backup_first: true, backup_first_from: { kind: 'fleet', tag: null } },
      },
      next_at: expect.any(String),
      next_proof_at: expect.any(String),
    })
    expect(restored).toEqual({
      ...{ at: '2026-01-01T00:00:00.000Z', until: '2126-01-08T00:00:00.000Z' },
      cause: 'backup.restore',
    })
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

  test('stay recorded when their site is deleted, and keep their target', async () => {
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
