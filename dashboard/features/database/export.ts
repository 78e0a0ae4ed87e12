import { recordCall } from '#dashboard/kernel/activity/record-call.ts'
import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import { exportReading } from '#shared/database/readings.ts'

type Deps = Pick<CommonDeps, 'db' | 'clock'> & { agents: Agents }

/** Sends the database to the browser, without a copy on any disk, and records who asked. */
export async function exportDatabase(deps: Deps, target: SiteTarget): Promise<Response> {
  const { server, site } = target
  const { body } = await recordCall(deps, target, 'database.export', () =>
    deps.agents.call(server, exportReading, { domain: site.domain }),
  )
  const at = deps.clock.now().toISOString().slice(0, 16).replace('T', '-').replace(':', '')
  const name = `${site.domain}-${at}-database.sql.gz`
  const headers = {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${name}"`,
  }
  return new Response(body, { headers })
}
