import type { z } from 'zod'
import type { Agents } from '#dashboard/agents/agents.ts'
import type { Address } from '#dashboard/agents/transport.ts'
import { conflict, ServiceError } from '#shared/errors.ts'

/** The storage may be slow, and its repositories many. */
const TIMEOUT_MS = 10 * 60_000

/** A call that earlier agents do not know: throws 409 with the advice for one of them. */
export async function askNew<S extends z.ZodType>(
  agents: Agents,
  server: Address,
  path: string,
  body: unknown,
  schema: S,
): Promise<z.output<S>> {
  const limits = { timeout_ms: TIMEOUT_MS }
  return agents.post(server, path, body, schema, {}, limits).catch((error: unknown) => {
    if (!(error instanceof ServiceError && error.code === 'not_found')) throw error
    throw conflict('The agent of this server cannot read a storage: upgrade it')
  })
}
