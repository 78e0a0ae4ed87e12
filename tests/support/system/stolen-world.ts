import { putRestic, type Target } from '#tests/support/storage/restic.ts'
import { confirmKit } from './confirm-kit.ts'
import { endOf } from './dashboard.ts'
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
  const complete = (event: string | undefined) => {
    if (event !== 'complete') throw new Error(`The site was not saved: ${event}`)
  }
  await putRestic(host)
  await world.register()
  const { php } = world.variant
  await last(world.path('/provision'), { php_versions: [php] })
  const created = await dashboard.call('POST', world.path('/sites'), {
    ...{ domain: DOMAIN, php, tls: 'none' },
  })
  complete((await endOf(dashboard, created)).event)
  const site = world.path(`/sites/${(created.body.site as { id: number }).id}`)
  await confirmKit(dashboard)
  const added = await call('POST', '/api/backup-targets', { name: 'Storage', ...target })
  const target_id = added.body.target?.id ?? 0
  complete(await last(world.path('/backup-check'), { target_id }))
  const put = 'for folder in /srv/www/*/public; do echo "$0" > "$folder/page.html"; done'
  await host.must(['bash', '-c', put, PAGE])
  complete(await last(`${site}/backups`))
  return {
    /** The API path of the site. */
    site,
    /** Deletes all that an administrator of the dashboard can; returns the answers. */
    async deleteAll() {
      const used_target = (await call('DELETE', `/api/backup-targets/${target_id}`)).status
      const end = async (method: string, path: string, body: object) =>
        (await endOf(dashboard, await dashboard.call(method, path, body))).event
      const deleted = await end('DELETE', site, { without_backup: true })
      const purged = await end('POST', `${site}/purge`, { domain: DOMAIN })
      const server = (await call('DELETE', world.path(''))).status
      await call('DELETE', `/api/backup-targets/${target_id}`)
      return { used_target, deleted, purged, server }
    },
  }
}
