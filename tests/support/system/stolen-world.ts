import { expect } from 'bun:test'
import { putRestic, type Target } from '#tests/support/storage/restic.ts'
import { endOf } from './dashboard.ts'
import { confirmKit } from './life-backup.ts'
import type { World } from './world.ts'

const DOMAIN = 'shop.example.test'
export const PAGE = 'yesterday'

/** A site whose backup of yesterday, with a page of its own, is in the target. */
export async function savedYesterday(world: World, target: Target) {
  const { dashboard, host } = world
  const call = async (method: string, path: string, body?: object) => {
    const { status, body: answer } = await dashboard.call(method, path, body)
    return { status, body: answer as Record<string, { id: number }> }
  }
  const last = async (path: string, body: object = {}) =>
    (await dashboard.stream('POST', path, body)).at(-1)?.event
  await putRestic(host)
  await world.register()
  const { php } = world.variant
  await last(world.path('/provision'), { php_versions: [php] })
  const created = await dashboard.call('POST', world.path('/sites'), {
    ...{ domain: DOMAIN, php, tls: 'none' },
  })
  expect((await endOf(dashboard, created)).event).toBe('complete')
  const site = world.path(`/sites/${(created.body.site as { id: number }).id}`)
  await confirmKit(dashboard)
  const added = await call('POST', '/api/backup-targets', { name: 'Storage', ...target })
  const target_id = added.body.target?.id ?? 0
  expect(await last(world.path('/backup-check'), { target_id })).toBe('complete')
  const put = 'for folder in /srv/www/*/public; do echo "$0" > "$folder/page.html"; done'
  await host.must(['bash', '-c', put, PAGE])
  expect(await last(`${site}/backups`)).toBe('complete')
  return {
    /** The API path of the site. */
    site,
    /** All that an administrator of the dashboard can delete. */
    async deleteAll() {
      expect((await call('DELETE', `/api/backup-targets/${target_id}`)).status).toBe(409)
      for (const [method, path, body] of [
        ['DELETE', site, { without_backup: true }],
        ['POST', `${site}/purge`, { domain: DOMAIN }],
      ] as const) {
        const ended = await endOf(dashboard, await dashboard.call(method, path, body))
        expect(ended.event).toBe('complete')
      }
      expect((await call('DELETE', world.path(''))).status).toBe(204)
      await call('DELETE', `/api/backup-targets/${target_id}`)
    },
  }
}
