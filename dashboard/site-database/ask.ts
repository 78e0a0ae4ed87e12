import type { z } from 'zod'
import type { Agents } from '#dashboard/agents/agents.ts'
import type { SiteTarget } from '#dashboard/targets/load-site.ts'

interface Deps {
  agents: Agents
}

/** Two clients of MariaDB, each with its own limit. */
const LIMIT_MS = 130_000

/** A reading call about the database of a site. */
export const askAbout = <S extends z.ZodType>(
  deps: Deps,
  { server, site }: SiteTarget,
  path: string,
  answer: S,
  more: object = {},
): Promise<z.output<S>> =>
  deps.agents.post(
    server,
    path,
    { domain: site.domain, ...more },
    answer,
    {},
    { timeout_ms: LIMIT_MS },
  )
