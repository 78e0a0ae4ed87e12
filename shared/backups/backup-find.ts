import { z } from 'zod'
import { Domain } from '#shared/kernel/fields.ts'
import { BackupTarget, RepositoryName, SealedText, SnapshotId } from './backup.ts'
import { PasswordId, RepositoryPassword } from './backup-secret.ts'

/** The maximum number of repositories of one answer, and of keys of kits in one of them. */
export const MAX_FOUND = 500
export const MAX_PASSWORDS = 8
/** The maximum number of backups of one answer. */
export const MAX_LISTED = 2000

const amount = z.number().int().nonnegative()

export const RepositoryNames = z.array(RepositoryName).max(MAX_FOUND)

/** `POST /backups/find` of an agent. */
export const FindRequest = z.object({
  target: BackupTarget,
  repositories: RepositoryNames.nullable().describe('Null: those that the storage lists.'),
  after: z.string().max(32).describe('Only later names, for the next page.'),
})
export type FindRequest = z.output<typeof FindRequest>

export const SealedKey = z.object({
  kit: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .describe('The fingerprint of the recovery kit that opens it.'),
  sealed: SealedText.describe('The password of the repository, encrypted to that kit.'),
})

export type SealedKey = z.infer<typeof SealedKey>

/** The repositories of a storage, and their passwords as recovery kits open them. */
export const FoundRepositories = z.object({
  is_listed: z.boolean().describe('False: this storage cannot list its repositories.'),
  repositories: z
    .array(z.object({ name: RepositoryName, keys: z.array(SealedKey).max(MAX_PASSWORDS) }))
    .max(MAX_FOUND)
    .describe('By name.'),
  next: z.string().max(32).nullable().describe('The last name, if there are more.'),
  unnamed: amount
    .default(0)
    .describe('Repositories that the report of a keeper counts, and does not name.'),
})
export type FoundRepositories = z.infer<typeof FoundRepositories>

/** `POST /backups/list` of an agent. */
export const ListRequest = z.object({
  target: BackupTarget,
  repository: RepositoryName,
  password_ids: z.array(PasswordId).min(1).max(MAX_PASSWORDS),
  passwords: z
    .array(RepositoryPassword)
    .max(MAX_PASSWORDS)
    .default([])
    .describe('Those of `password_ids`, in order; empty: the server has one that opens it.'),
  before: SnapshotId.optional().describe('Only earlier backups than this one: the next page.'),
})
export type ListRequest = z.output<typeof ListRequest>

/** The backups in a repository, newest first. */
export const ListedBackups = z.object({
  password: amount.describe('The position of the password that opens the repository.'),
  domain: Domain.describe('Of the site in the newest backup.'),
  tables: amount.describe('In the newest backup.'),
  excluded: z.array(z.string().max(255)).describe('What the newest backup leaves out.'),
  backups: z
    .array(
      z.object({
        id: SnapshotId,
        at: z.iso.datetime(),
        files: amount,
        bytes: amount,
        stored: amount,
        seconds: amount,
      }),
    )
    .min(1)
    .max(MAX_LISTED),
  next: SnapshotId.nullable().describe('For `before` of the next call; null: this is all.'),
})
export type ListedBackups = z.infer<typeof ListedBackups>

/** The folder of a keeper's report beside the repositories, in the form of one. */
export const KEEPER_FOLDER = 'hosting-keeper'

/** Returns whether a folder of a storage has no backups: that of a keeper, or of a check. */
export const isNoRepository = (name: string): boolean =>
  name === KEEPER_FOLDER || name.startsWith('hosting-check')

/** `POST /backups/keeper` of an agent: what keepers wrote into a storage. Anybody may write there. */
export const KeeperRequest = z.object({ target: BackupTarget })
export type KeeperRequest = z.output<typeof KeeperRequest>
export const KeeperTexts = z.object({ texts: z.array(z.string().max(65_536)).max(20) })
export type KeeperTexts = z.infer<typeof KeeperTexts>
