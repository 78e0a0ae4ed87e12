import { z } from 'zod'

export const FORMAT = 1

/** The first member of a backup; `seal` is the fingerprint of the required seal-secret. */
export const Manifest = z.object({
  backup_of: z.literal('hosting-control'),
  format: z.number().int(),
  made_at: z.iso.datetime(),
  version: z.string(),
  schema: z.object({ migrations: z.number().int(), hash: z.string() }),
  database: z.object({
    bytes: z.number().int(),
    sha256: z.string(),
    rows: z.record(z.string(), z.number().int()),
  }),
  seal: z.string().nullable(),
  with_secrets: z.boolean(),
})
export type Manifest = z.infer<typeof Manifest>

/** The members of a backup: `tar xf` creates the files that DATA_DIR needs. */
export const MANIFEST = 'manifest.json'
export const DATABASE = 'dashboard.db'
export const SEAL = 'seal-secret'

export class BackupError extends Error {}
