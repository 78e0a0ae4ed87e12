import { z } from 'zod'
import { SnapshotId } from './backup.ts'

/** The findings about a backup. All but `core_differs` mean that it is not proven. */
const PROOF_CODES = [
  'missing',
  'damaged',
  'dump_damaged',
  'files_differ',
  'database_refused',
  'database_differs',
  'does_not_boot',
  'page_fails',
  'core_differs',
] as const
export type ProofCode = (typeof PROOF_CODES)[number]

const amount = z.int().nonnegative()

/** The outcome of a restore of a backup into a hidden site. */
export const ProofReport = z
  .object({
    backup: SnapshotId.describe('Of the manifest.'),
    at: z.iso.datetime().describe('When the restore began.'),
    proven: z.boolean(),
    findings: z
      .array(z.object({ code: z.enum(PROOF_CODES), message: z.string().max(500) }))
      .max(20)
      .describe('Empty for a proven backup, except for core_differs.'),
    files: amount.describe('Restored files.'),
    bytes: amount.describe('The restored files and the dump.'),
    tables: amount.describe('Tables with the same rows as in the dump.'),
    rows: amount,
    pages: z
      .array(z.object({ path: z.string().max(200), status: z.int().min(0).max(999) }))
      .max(10)
      .describe('The answers of PHP; the status 0 means no complete answer.'),
    core: z
      .enum(['same', 'differs', 'unchecked'])
      .describe(
        'Compared with what wordpress.org publishes; unchecked: the server had nothing to compare with.',
      ),
    core_list: z
      .enum(['compared', 'unknown', 'unreachable'])
      .optional()
      .describe(
        'Of the MD5 list that wordpress.org publishes for this version and language. Without it the server compares with its own copy. Absent if the version could not be read.',
      ),
    seconds: z.number().nonnegative(),
  })
  .meta({ id: 'ProofReport', description: 'A restore of a backup into a hidden site.' })
export type ProofReport = z.infer<typeof ProofReport>
