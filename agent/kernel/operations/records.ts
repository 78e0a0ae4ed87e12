import { z } from 'zod'
import type { CommandName } from '#shared/commands.ts'
import { isCommandName } from '#shared/contracts.ts'
import { OperationId } from '#shared/kernel/agent-headers.ts'

export const OperationRequest = z.object({
  id: OperationId,
  command: z.custom<CommandName>((value) => typeof value === 'string' && isCommandName(value)),
  params: z.unknown(),
  fingerprint: z.string(),
  created_at: z.number(),
})
/** The request of an operation. `fingerprint` is the digest of command and params. */
export type OperationRequest = z.infer<typeof OperationRequest>

/** The record of a cancel: alone in its folder if the agent did not know the operation. */
export const CancelRecord = z.object({ at: z.number() })

export const JournalEntry = z.object({
  step: z.string(),
  /**
   * `skipped` means that its check found nothing to do. Only a step that decides its operation has
   * `undoing`: the operation is not decided any more.
   */
  state: z.enum(['intent', 'done', 'skipped', 'undoing', 'undone']),
})
export type JournalEntry = z.infer<typeof JournalEntry>
