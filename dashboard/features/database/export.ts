import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { recordActivity } from '#dashboard/kernel/activity/queries.ts'
import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import { exportReading } from '#shared/database/readings.ts'

type Deps = Pick<CommonDeps, 'db' | 'clock'> & { agents: Agents }

/**
 * Sends the database on its way from MariaDB to the browser, without a copy on any disk. The
 * activity records who asked.
 */
export async function exportDatabase(deps: Deps, target: SiteTarget): Promise<Response> {
  const { server, site, actor } = target
  const facts = { type: 'database.export', domain: site.domain, server_id: server.id }
  const record = (status: 'success' | 'failed') =>
    recordActivity(deps.db, entryOf(deps.clock, { ...facts, user_id: actor, status }))
  const sent = deps.agents.call(server, exportReading, { domain: site.domain })
  const { body } = await sent.catch(async (error: unknown) => {
    await record('failed')
    throw error
  })
  await record('success')
  const at = deps.clock.now().toISOString().slice(0, 16).replace('T', '-').replace(':', '')
  const name = `${site.domain}-${at}-database.sql.gz`
  const headers = {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${name}"`,
  }
  return new Response(body, { headers })
}
