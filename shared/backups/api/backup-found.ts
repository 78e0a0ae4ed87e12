import { z } from 'zod'
import { RepositoryName, SealedText } from '#shared/backups/backup.ts'
import { MAX_PASSWORDS, RepositoryNames, SealedKey } from '#shared/backups/backup-find.ts'
import { body } from '#shared/kernel/api/body.ts'
import { Count, Timestamp } from '#shared/kernel/api/parts.ts'
import { Id } from '#shared/kernel/fields.ts'

export const FindBackups = body({
  target_id: Id,
  repositories: RepositoryNames.nullable()
    .default(null)
    .describe('The names of their folders; null: those that the storage lists.'),
  after: z
    .string()
    .max(32)
    .default('')
    .describe('Only later names: `next` of the previous answer.'),
}).meta({ id: 'FindBackups' })

export const FoundBackups = z
  .strictObject({
    is_listed: z
      .boolean()
      .describe('False for a REST server, which lists only what its keeper reported.'),
    dashboard_key: z
      .string()
      .describe('The public key to which the passwords are encrypted for this dashboard: PEM.'),
    repositories: z
      .array(
        z.strictObject({
          name: z.string(),
          keys: z
            .array(z.strictObject(SealedKey.shape))
            .describe('The password, encrypted to recovery kits: RSA-OAEP with SHA-256.'),
          backups: Count.describe('Its backups that this dashboard has recorded.'),
        }),
      )
      .describe('By name: those that a recovery kit opens.'),
    next: z.string().nullable().describe('For `after` of the next call; null: this is all.'),
    unnamed: Count.describe(
      'Repositories that the report of the keeper counts, and does not name.',
    ),
  })
  .meta({ id: 'FoundBackups', description: 'The repositories of sites in a backup target.' })
export type FoundBackups = z.infer<typeof FoundBackups>

export const AdoptBackups = body({
  target_id: Id,
  repository: RepositoryName,
  sealed_passwords: z
    .array(SealedText)
    .min(1, 'Must have a password')
    .max(MAX_PASSWORDS, `Must have at most ${MAX_PASSWORDS} passwords`)
    .describe('Encrypted to `dashboard_key`; the first that opens the repository is recorded.'),
}).meta({ id: 'AdoptBackups' })

export const AdoptedBackups = z
  .strictObject({
    repository: z.string(),
    domain: z.string().describe('Of the site in the newest backup.'),
    backups: Count.describe('All in the repository.'),
    added: Count.describe('Newly recorded backups.'),
    last_at: Timestamp,
  })
  .meta({ id: 'AdoptedBackups', description: 'The recorded backups of a repository.' })
export type AdoptedBackups = z.infer<typeof AdoptedBackups>
