import type { z } from 'zod'
import type { Agents } from '#dashboard/agents/agents.ts'
import type { Address } from '#dashboard/agents/transport.ts'

/** The storage may be slow, and its repositories many. */
const TIMEOUT_MS = 10 * 60_000

/** Asks the agent of a server about a storage, which it reads. */
export const askStorage = <S extends z.ZodType>(
  agents: Agents,
  server: Address,
  path: string,
  body: unknown,
  schema: S,
): Promise<z.output<S>> => agents.post(server, path, body, schema, {}, { timeout_ms: TIMEOUT_MS })
