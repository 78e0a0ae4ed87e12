import { eq } from 'drizzle-orm'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { servers } from '#dashboard/kernel/db/schema.ts'
import { PROTOCOL } from '#shared/kernel/protocol.ts'
import type { BulkOperationView } from '#shared/operations/api/bulk-operations.ts'
import type { LostServerView } from '#shared/recovery/api/lost-servers.ts'
import type { Metrics } from '#shared/servers/agent.ts'
import { twoServers } from './copies.ts'
import { type Dashboard, until } from './dashboard.ts'

const METRICS: Metrics = {
  cpu: 1,
  ram: { used: 1, total: 2, unit: 'MB' },
  disk: { used: 1024, total: 4096, unit: 'MB' },
  load: [0, 0, 0],
  uptime: 1,
  os: 'debian-12',
  version: '1.0.0',
  protocol: PROTOCOL,
}

/**
 * Two servers; the first has shop.example and blog.example with a backup each, and new.example
 * without one, and does not answer any more.
 */
export async function lostServer() {
  const all = await twoServers()
  const { dashboard, one, first, second, shop } = all
  const add = (domain: string) =>
    dashboard.addSite(first, {
      ...{ domain, php: '8.2', tier: 'medium', tls: 'none', email: 'owner@shop.example' },
    })
  const [blog, fresh] = [await add('blog.example'), await add('new.example')]
  for (const id of [shop, blog])
    await (await dashboard.send('POST', `/api/servers/${first}/sites/${id}/backups`, {})).text()
  await dashboard.deps.scheduler.stop()
  await one.agent.stop()
  await setServer(dashboard, first, { status: 'offline' })
  await setServer(dashboard, second, { status: 'online', php_versions: ['8.2'], metrics: METRICS })
  const at = `/api/servers/${first}/lost`
  const show = async (): Promise<LostServerView> => (await dashboard.call('GET', at)).body
  const recover = (body: object) =>
    dashboard.call('POST', at, { confirm: '127.0.0.1', dns: false, ...body })
  const sites = [shop, blog].map((site_id) => ({ site_id, server_id: second }))
  return {
    ...all,
    blog,
    fresh,
    at,
    show,
    recover,
    sites,
    [Symbol.asyncDispose]: all[Symbol.asyncDispose],
  }
}

export const setServer = (dashboard: Dashboard, id: number, values: Partial<ServerRow>) =>
  dashboard.db.write((queries) => queries.update(servers).set(values).where(eq(servers.id, id)))

/** The bulk operation after its end. */
export const bulkEnded = (dashboard: Dashboard, id: string): Promise<BulkOperationView> =>
  until(async () => {
    const { body } = await dashboard.call('GET', `/api/bulk-operations/${id}`)
    return body.bulk_operation.finished_at !== null && body.bulk_operation
  })
