import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { recordActivity } from '#dashboard/kernel/activity/queries.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { awaitOutcome } from '#dashboard/kernel/engine/enqueue.ts'
import {
  type StartDeps,
  type StartInput,
  startOrPlan,
} from '#dashboard/kernel/engine/start-operation.ts'
import type { Random } from '#dashboard/kernel/runtime/random.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import { hashOf, newPassword } from '#dashboard/kernel/trust/visitor-password.ts'
import type { ShownStaging } from '#shared/copies/api/copies.ts'
import { conflict } from '#shared/kernel/errors.ts'
import type { Plan } from '#shared/kernel/plan.ts'
import type { Staging } from '#shared/sites/staging.ts'
import { liveSiteOf } from './copy-source.ts'
import { findSiteById, findStagingAccess, type StagingAccess } from './queries.ts'

const PASSWORD_PURPOSE = 'staging password'

type Deps = Pick<CommonDeps, 'db' | 'clock'> & { sealer: Sealer }

/** Returns the access for visitors, and records that. Throws 409 without protection. */
export async function showStagingAccess(
  { db, clock, sealer }: Deps,
  { server, site, actor }: SiteTarget,
): Promise<ShownStaging> {
  const access = await requireAccess(db, site)
  const password = sealer.open(PASSWORD_PURPOSE, access.password_sealed).reveal()
  const facts = { domain: site.domain, server_id: server.id, user_id: actor }
  await recordActivity(db, entryOf(clock, { type: 'site.staging_password', ...facts }))
  return { user: access.user, password }
}

/** Throws conflict for a site that is no staging site. */
export async function requireAccess(
  db: CommonDeps['db'],
  { id, domain }: { id: number; domain: string },
): Promise<StagingAccess> {
  const access = await findStagingAccess(db, id)
  if (!access) throw conflict(`${domain} is not a staging site: visitors need no password`)
  return access
}

/** Sets a new password for visitors, returns it once, and records that. */
export async function changeStagingAccess(
  deps: StartDeps & Deps,
  target: SiteTarget,
  call: StartInput<'staging.password'>,
): Promise<ShownStaging | { plan: Plan }> {
  const started = await startOrPlan(deps, 'staging.password', target, call)
  if ('plan' in started) return started
  await awaitOutcome(deps, started)
  return showStagingAccess(deps, target)
}

/** Returns the params of a staging site elsewhere. Throws conflict without its live site. */
export async function stagingParams(
  { db, random, sealer }: Pick<StartDeps, 'db' | 'random'> & { sealer: Sealer },
  site: { id: number; domain: string },
): Promise<Staging> {
  const { user, password_sealed } = await requireAccess(db, site)
  const live = await findSiteById(db, await liveSiteOf(db, site.id))
  if (!live) throw conflict(`The live site of ${site.domain} is no longer recorded`)
  return {
    of: live.domain,
    user,
    password_hash: hashOf(random, sealer.open(PASSWORD_PURPOSE, password_sealed)),
  }
}

const USER = 'staging'
/** Makes a new password: its hash for the agent, and itself, sealed, for the record. */
export function newAccess({ random, sealer }: { random: Random; sealer: Sealer }) {
  const { password, password_hash } = newPassword(random)
  const agent = { user: USER, password_hash }
  return { agent, record: { user: USER, password_sealed: sealer.seal(PASSWORD_PURPOSE, password) } }
}
