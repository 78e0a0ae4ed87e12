import type { ServerRow } from '#dashboard/db/rows.ts'
import type { Agents } from '#dashboard/fleet/agents.ts'
import { type BeginDeps, begin } from '#dashboard/operations/begin.ts'
import { planOf } from '#dashboard/operations/plan.ts'
import { findBuild } from '#dashboard/trust/builds.ts'
import { AgentBuild } from '#shared/agent.ts'
import { conflict } from '#shared/errors.ts'
import { refuseWhileServerBusy } from './queries.ts'

export interface UpgradeDeps {
  agents: Agents
  contact_ms: number
  /** Where the builds of the agent are; undefined: where build-agent.ts leaves them. */
  builds_dir: string | undefined
}

/**
 * Gives a server the agent that this dashboard has. 409 while something else is done there, which
 * the restart would cut off, and when there is no build for the machine. `origin`: where the server
 * reaches this dashboard.
 */
export async function upgradeAgent(
  deps: BeginDeps & UpgradeDeps,
  server: ServerRow,
  { origin, actor, dry_run }: { origin: string; actor: number; dry_run: boolean },
) {
  await refuseWhileServerBusy(deps.db, server.id)
  const params = await upgradeParams(deps, server, origin)
  if (dry_run) return planOf(deps, { type: 'agent.upgrade', server, params })
  return begin(deps, { type: 'agent.upgrade', server, params, actor, patient: false })
}

/** The build for the machine that the agent says it runs on; 409 when there is none. */
export async function upgradeParams(deps: UpgradeDeps, server: ServerRow, origin: string) {
  const { machine, signed_builds } = await deps.agents.get(
    server,
    '/build',
    AgentBuild,
    deps.contact_ms,
  )
  const build = await findBuild(machine, deps.builds_dir)
  if (!build) throw conflict(`There is no build of the agent for ${machine}`)
  // An agent compares the parameters of an operation that it has restarted in with those it has kept.
  const release = signed_builds ? build.release : undefined
  return { url: `${origin}/agent/${machine}.gz`, sha256: build.sha256, ...release }
}
