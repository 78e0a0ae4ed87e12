import { z } from 'zod'
import { Count, RecordId, Timestamp } from '#shared/kernel/api/parts.ts'

export const MAX_RESTORED_SITES = 200

const RestoredServer = z.strictObject({
  server_id: RecordId,
  name: z.string(),
  state: z
    .enum(['read', 'too_old', 'waiting', 'key_refused'])
    .describe(
      'read: its sites and operations were read. too_old: its agent does not list its operations. waiting: it has not answered since the restore. key_refused: it does not know the key of the backup.',
    ),
  reason: z.string().describe('Why it has not answered; empty: it has.'),
  command: z.string().nullable().describe('What root has to run on it; null: nothing.'),
})

const RestoredSite = z.strictObject({
  site_id: RecordId,
  server_id: RecordId,
  domain: z.string(),
  change: z
    .enum(['adopted', 'discovered', 'trashed', 'missing'])
    .describe(
      'adopted: its agent has it as its own, and it is managed as before. discovered: it is on the server, but not as a site of its agent. trashed: it is in the trash of the server. missing: the records have it, and the server does not.',
    ),
})

const RestoredOperation = z.strictObject({
  id: z.string(),
  server_id: RecordId,
  command: z.string(),
  domain: z.string(),
  at: Timestamp,
  end: z.enum(['complete', 'error']).nullable().describe('null: it was running.'),
})
export type RestoredOperation = z.infer<typeof RestoredOperation>

export const Restored = z
  .strictObject({
    made_at: Timestamp.describe('When the backup was made.'),
    restored_at: Timestamp,
    servers: z.array(RestoredServer),
    sites: z.array(RestoredSite).describe(`At most ${MAX_RESTORED_SITES}.`),
    sites_total: Count,
    operations: z
      .array(RestoredOperation)
      .describe('Of the agents, not in the records; the newest of each server first.'),
    operations_total: Count,
  })
  .meta({
    id: 'Restored',
    description: 'What the servers know after a restore of the records, and the records did not.',
  })
export type Restored = z.infer<typeof Restored>
