import { z } from 'zod'
import { BackupTarget, StorageFolder } from '#shared/backups/backup.ts'

/** What `hosting-agent storage` reads from standard input. */
export const StorageRequest = z.object({
  target: BackupTarget,
  /** The folder with the files of ssh. */
  files: z.string(),
  /** The folders of the repositories to read; null for those that the storage lists after it. */
  repositories: z.array(StorageFolder).nullable(),
  after: z.string(),
  most: z.int().positive(),
  /** The text that a file of keys must contain to be returned. */
  containing: z.string().min(1),
})
export type StorageRequest = z.output<typeof StorageRequest>

/** The texts of files in the folders of keys. */
const StorageKeys = z.object({
  is_listed: z.boolean(),
  repositories: z.array(z.object({ name: StorageFolder, texts: z.array(z.string()) })),
  next: z.string().nullable(),
})
export type StorageKeys = z.infer<typeof StorageKeys>

/** The refusal of the storage or the network, and the field of the target that is wrong. */
const StorageRefusal = z.object({ error: z.string(), field: z.string().nullable() })

export const StorageAnswer = z.union([StorageRefusal, StorageKeys])
export type StorageAnswer = z.infer<typeof StorageAnswer>
