import { z } from 'zod'
import { BackupTarget, RepositoryName, SnapshotId } from './backup.ts'
import { secretOf } from './secret.ts'

const amount = z.int().nonnegative()

/** What a server saved of a site that moves, for the copy on the other server: no backup. */
export const Gathered = z.object({
  at: z.iso.datetime(),
  /** Of the files: numbers on the server that saved them. */
  owner: z.object({ uid: amount, gid: amount }),
  files: z.object({ snapshot: SnapshotId, count: amount, bytes: amount }),
  database: z.object({
    snapshot: SnapshotId,
    bytes: amount,
    sha256: z.string().regex(/^[0-9a-f]{64}$/, 'Must be a SHA-256'),
  }),
})
export type Gathered = z.infer<typeof Gathered>

/** The repository of a site that was backed up before. */
export const Gathering = z.object({
  target: BackupTarget,
  repository: RepositoryName,
  /** Of the repository. */
  password: secretOf(z.string().min(1).max(1024)),
})
export type Gathering = z.output<typeof Gathering>
