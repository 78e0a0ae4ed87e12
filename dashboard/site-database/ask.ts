import { z } from 'zod'
import type { Agents } from '#dashboard/agents/agents.ts'
import { refuseOld } from '#dashboard/agents/old-agent.ts'
import type { SiteTarget } from '#dashboard/targets/load-site.ts'

interface Deps {
  agents: Agents
}

/** Two clients of MariaDB, each with its own limit. */
const LIMIT_MS = 130_000

/** A reading call about the database of a site. Throws conflict for an agent that lacks the call. */
export const askAbout = <S extends z.ZodType>(
  deps: Deps,
  { server, site }: SiteTarget,
  path: string,
  answer: S,
  more: object = {},
): Promise<z.output<S>> =>
  deps.agents
    .post(server, path, { domain: site.domain, ...more }, answer, {}, { timeout_ms: LIMIT_MS })
    .catch((error: unknown) => refuse(deps, server, path, error))

export const refuse = (
  { agents }: Deps,
  server: SiteTarget['server'],
  path: string,
  error: unknown,
) =>
  refuseOld(error, 'does not know databases of sites', () =>
    agents.post(server, path, {}, z.unknown()),
  )
