import { recordCall } from '#dashboard/kernel/activity/record-call.ts'
import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { refuseWhileBusy } from '#dashboard/kernel/engine/busy.queries.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import { databasePasswordReading } from '#shared/database/readings.ts'
import { adminPasswordReading } from '#shared/wordpress/readings.ts'

type Deps = Pick<CommonDeps, 'db' | 'clock'> & { agents: Agents }

/** Returns the password, which is not stored; the activity records the access. */
export async function readDatabasePassword(deps: Deps, target: SiteTarget) {
  const { server, site } = target
  return recordCall(deps, target, 'site.db_password', () =>
    deps.agents.call(server, databasePasswordReading, { domain: site.domain }),
  )
}

/** Sets a new password of the WordPress administrator. Throws 409 while the site is busy. */
export async function resetAdminPassword(deps: Deps, target: SiteTarget) {
  const { server, site } = target
  await refuseWhileBusy(deps.db, site.id)
  return recordCall(deps, target, 'site.admin_password', () =>
    deps.agents.call(server, adminPasswordReading, { domain: site.domain }),
  )
}
