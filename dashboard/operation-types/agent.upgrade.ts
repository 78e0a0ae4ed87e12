import { findBuild } from '#dashboard/agents/builds.ts'
import type { ServerRow } from '#dashboard/db/rows.ts'
import type { OperationRules, RulesDeps } from '#dashboard/operations/rules.ts'
import { AgentBuild } from '#shared/agent.ts'
import { conflict } from '#shared/errors.ts'
import { atOnce, onServer, unchangedOtherwise } from './parts.ts'
import { setServer } from './queries.ts'

/** The restart would interrupt other operations there. */
export const agentUpgrade: OperationRules<'agent.upgrade'> = {
  ...onServer,
  ...atOnce,
  ...unchangedOtherwise,
  params: (deps, { server, origin = '' }) => buildFor(deps, server, origin),
  succeeded: ({ version }) => setServer({ version }),
  bulk: { states: [], managed_only: false, stores_origin: true },
}

/** The build for the machine of the agent; 409 if there is none. */
async function buildFor(
  { agents, contact_ms, builds_dir }: RulesDeps,
  server: ServerRow,
  origin: string,
) {
  const { machine, signed_builds } = await agents.get(server, '/build', AgentBuild, contact_ms)
  const build = await findBuild(machine, builds_dir)
  if (!build) throw conflict(`There is no build of the agent for ${machine}`)
  // After its restart an agent compares the parameters of the operation with the stored ones.
  const release = signed_builds ? build.release : undefined
  return { url: `${origin}/agent/${machine}.gz`, sha256: build.sha256, ...release }
}
