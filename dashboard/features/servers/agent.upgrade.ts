import { atOnce, onServer, unchangedOtherwise } from '#dashboard/features/backups/rule-parts.ts'
import { findBuild } from '#dashboard/kernel/agents/builds.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { setServer } from '#dashboard/kernel/engine/record-changes.queries.ts'
import type { OperationRules, RulesDeps } from '#dashboard/kernel/engine/rules.ts'
import { isServiceError } from '#dashboard/kernel/runtime/error-code.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { buildReading } from '#shared/servers/readings.ts'

/** The rules of an upgrade, whose restart would interrupt other operations there. */
export const agentUpgrade: OperationRules<'agent.upgrade'> = {
  ...onServer,
  ...atOnce,
  ...unchangedOtherwise,
  params: (deps, { server, origin = '' }) => buildFor(deps, server, origin),
  succeeded: ({ version }) => setServer({ version }),
  bulk: { states: [], managed_only: false, stores_origin: true },
}

/** The message about another program that has the calls of the contract alone. */
const NO_UPGRADE =
  'The agent of this server cannot replace itself: install the agent of this dashboard on the server'

/** Returns the build for the machine of the agent. Throws 409 if there is none. */
async function buildFor({ agents, builds_dir }: RulesDeps, server: ServerRow, origin: string) {
  const { machine } = await agents.call(server, buildReading, {}).catch((error: unknown) => {
    const isOther = isServiceError(error, 'not_found')
    throw isOther ? conflict(NO_UPGRADE, 'upgrade_needed') : error
  })
  const build = await findBuild(machine, builds_dir)
  if (!build) throw conflict(`There is no build of the agent for ${machine}`)
  return { url: `${origin}/agent/${machine}.gz`, sha256: build.sha256, ...build.release }
}
