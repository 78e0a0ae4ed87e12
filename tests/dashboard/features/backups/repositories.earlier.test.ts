import { describe, expect, test } from 'bun:test'
import { streamed } from '#tests/support/dashboard/backups.ts'
import { until } from '#tests/support/dashboard/dashboard.ts'
import { events, type MovingServers, movingServers } from '#tests/support/dashboard/moves.ts'
import { repositoriesOf, siteAt } from '#tests/support/dashboard/repositories.ts'

const WITH = 'with its password' as const
const FACTS = { files: 10, bytes: 2000, stored: 300, seconds: 2 }
const EMPTY = { error: 'Conflict', message: 'No complete backup', code: 'no_backups' }

/** A site that has moved, with a backup on each server, and what each of its repositories has. */
async function movedSite() {
  const all = await movingServers()
  const { user } = await siteAt(all)
  await events(all, 'move', { server_id: all.second })
  const { at } = await siteAt(all)
  await streamed(all.dashboard, at)
  const { backups } = (await all.dashboard.call('GET', at)).body
  const rows = await all.dashboard.db.read.all<{ repository: string; snapshot: string }>(
    'select repository, snapshot from backups',
  )
  const stored = new Map<string, string[]>()
  for (const { repository, snapshot } of rows)
    stored.set(repository, [...(stored.get(repository) ?? []), snapshot])
  for (const { agent } of [all.one, all.two]) {
    agent.passwords.openings.length = 0
    agent.answers.set('/backups/list', async (request) => {
      const { repository } = await request.json()
      const ids = stored.get(repository) ?? []
      if (ids.length === 0) return Response.json(EMPTY, { status: 409 })
      const facts = { password: 0, domain: 'shop.example', tables: 12, excluded: [], next: null }
      const at = '2026-01-01T00:00:00.000Z'
      return Response.json({ ...facts, backups: ids.map((id) => ({ ...FACTS, id, at })) })
    })
  }
  const ids: number[] = backups.map(({ id }: { id: number }) => id).sort()
  return Object.assign(all, { at, user, ids, stored })
}

const shown = async ({ dashboard, at }: MovingServers & { at: string }) => {
  const { backups, gone } = (await dashboard.call('GET', at)).body
  return [backups, gone].map((all: { id: number }[]) => all.map(({ id }) => id).sort())
}

describe('the earlier repositories of a site', () => {
  test('are in its list, whatever the server of the present one says about that', async () => {
    await using all = await movedSite()
    all.two.list.present = []

    await streamed(all.dashboard, all.at)

    const [listed, gone] = await shown(all)
    expect([listed, gone?.length]).toEqual([all.ids.slice(0, 1), 2])
  })

  test('are compared with it, also when the keeper has deleted all of their backups', async () => {
    await using all = await movedSite()
    all.stored.set(all.user, [])

    const { body } = await all.dashboard.call('POST', `${all.at}/refresh`)

    const [first, second] = all.ids.map(Number)
    expect([body, await shown(all)]).toEqual([
      { gone: 1, found: 0 },
      [[second], [first]],
    ] as object[])
    expect(all.two.agent.passwords.openings).toEqual([
      ['/backups/list', all.user],
      ['/backups/list', all.user, WITH],
      ['/backups/list', `${all.user}-2`],
    ])
    const { attention } = (await all.dashboard.call('GET', '/api/fleet')).body
    expect(attention.map(({ kind }: { kind: string }) => kind)).not.toContain('backup_missing')
  })

  test('outlive it: another server lists all of them, and restores their backups', async () => {
    await using all = await movedSite()
    const { dashboard, first, second, shop } = all
    expect(await events(all, 'move-confirm')).toContain('event: complete')
    const path = `/api/servers/${second}/sites/${shop}`
    await dashboard.call('DELETE', path, { without_backup: true })
    await until(async () => (await all.site(shop)).status === 'trashed')
    await dashboard.call('POST', `${path}/purge`, { domain: 'shop.example' })
    await until(async () => (await dashboard.call('GET', path)).status === 404)

    const refreshed = await dashboard.call('POST', `/api/servers/${first}/backup-refresh`, {
      domain: 'shop.example',
    })
    const gone = await dashboard.call('GET', '/api/fleet/backups/gone?domain=shop.example')
    const from = { kind: 'backup', backup_id: all.ids[0] }
    const copy = { domain: 'again.example', php: '8.2', from }
    const { body } = await all.clone(first, copy)
    await until(async () => (await all.site(body.site.id)).status === 'active')

    expect(refreshed.body).toEqual({ gone: 0, found: 0 })
    expect(gone.body.backups).toHaveLength(2)
    expect((await repositoriesOf(all)).map(({ name, site_id }) => [name, site_id])).toEqual([
      [all.user, null],
      [`${all.user}-2`, null],
    ])
    expect(all.one.agent.passwords.openings).toEqual([
      ['/backups/list', all.user],
      ['/backups/list', `${all.user}-2`],
      ['/backups/list', `${all.user}-2`, WITH],
      ['site.clone', all.user],
    ])
  })
})
