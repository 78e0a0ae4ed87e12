import { z } from 'zod'
import { KnownRepository, SnapshotId } from '#shared/backups/backup.ts'
import { Domain } from '#shared/kernel/fields.ts'

/** The source of the files and the database of a copy. */
export const CopySource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('site'), domain: Domain.describe('A site of the same server.') }),
  KnownRepository.extend({
    kind: z.literal('backup'),
    backup: SnapshotId.describe('The snapshot of the manifest.'),
  }),
])
export type CopySource = z.output<typeof CopySource>

/** The maximum number of entries of `left`, and of examples of each. */
export const MAX_LEFT = 40
export const MAX_EXAMPLES = 3

const amount = z.int().nonnegative()

/** Old addresses that a copy of a database still has. */
const LeftAddresses = z.object({
  table: z.string().max(64),
  column: z.string().max(64),
  reason: z.string().max(32).describe('`skipped`, `base64`, `too_large`, `not_data`, `email`, …'),
  count: amount,
  examples: z.array(z.string().max(120)).max(MAX_EXAMPLES),
})

/** The changes of addresses of the original in the database of a copy. */
export const AddressReport = z.object({
  replaced: amount,
  left: z.array(LeftAddresses).max(MAX_LEFT),
})
export type AddressReport = z.infer<typeof AddressReport>
