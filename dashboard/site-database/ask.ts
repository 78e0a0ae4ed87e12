import { z } from 'zod'
import type { Agents } from '#dashboard/agents/agents.ts'
import type { SiteTarget } from '#dashboard/targets/load-site.ts'
import { conflict, type ErrorName, ServiceError } from '#shared/errors.ts'

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
): Promise<z.output<S>> =>
  deps.agents
    .post(server, path, { domain: site.domain }, answer, {}, { timeout_ms: LIMIT_MS })
    .catch((error: unknown) => refuseOld(deps, server, path, error))

/** An agent that knows the call, and not the site, refuses a call without one. */
export async function refuseOld(
  { agents }: Deps,
  server: SiteTarget['server'],
  path: string,
  error: unknown,
): Promise<never> {
  if (!hasCode(error, 'not_found')) throw error
  const other: unknown = await agents
    .post(server, path, {}, z.unknown())
    .catch((reason: unknown) => reason)
  if (!hasCode(other, 'not_found')) throw error
  throw conflict('The agent of this server does not know databases of sites: upgrade it')
}

const hasCode = (error: unknown, code: ErrorName): boolean =>
  error instanceof ServiceError && error.code === code
