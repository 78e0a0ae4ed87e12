import { z } from 'zod'
import { OperationId } from './agent-headers.ts'

export const MAX_AGENT_OPERATIONS = 200

/** `since` is in milliseconds, by the clock of the agent. */
export const AgentOperationsQuery = z.strictObject({
  since: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
})

/** An operation of an agent. `end` is null while it runs, `domain` empty without site. */
export const AgentOperation = z.object({
  id: OperationId,
  command: z.string().max(64),
  domain: z.string().max(253),
  created_at: z.int().nonnegative().max(8.64e15),
  end: z.enum(['complete', 'error']).nullable(),
})
export type AgentOperation = z.infer<typeof AgentOperation>

/** The newest operations first, and their total number. */
export const AgentOperations = z.object({
  operations: z.array(AgentOperation).max(MAX_AGENT_OPERATIONS),
  total: z.int().nonnegative(),
})
export type AgentOperations = z.infer<typeof AgentOperations>
