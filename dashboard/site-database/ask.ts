import type { z } from 'zod'
import type { Agents } from '#dashboard/agents/agents.ts'
import type { SiteTarget } from '#dashboard/targets/load-site.ts'
import { conflict, type ErrorName, ServiceError } from '#shared/errors.ts'

/** A reading call about the database of a site. Throws conflict for an agent that lacks the call. */
export async function askAbout<S extends z.ZodType>(
  { agents }: { agents: Agents },
  { server, site }: SiteTarget,
  path: string,
  answer: S,
): Promise<z.output<S>> {
  const post = (body: object) =>
    agents.post(server, path, body, answer, {}, { timeout_ms: LIMIT_MS })
  return post({ domain: site.domain }).catch(async (error: unknown) => {
    if (!hasCode(error, 'not_found')) throw error
    // An agent that knows the call, and not the site, refuses a call without one.
    const other: unknown = await post({}).catch((reason: unknown) => reason)
    if (!hasCode(other, 'not_found')) throw error
    throw conflict('The agent of this server does not know databases of sites: upgrade it')
  })
}

/** Two clients of MariaDB, each with its own limit. */
const LIMIT_MS = 130_000

const hasCode = (error: unknown, code: ErrorName): boolean =>
  error instanceof ServiceError && error.code === code
