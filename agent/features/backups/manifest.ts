import { z } from 'zod'
import type { Summary } from '#agent/features/backups/restic/progress.ts'
import { CHARACTERS } from '#agent/kernel/database/account.ts'
import type { StreamedDump } from '#agent/kernel/database/dump.ts'
import { findAccount } from '#agent/kernel/database/kept-account.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { RepositoryName, SnapshotId } from '#shared/backups/backup.ts'
import { Domain } from '#shared/kernel/fields.ts'

const amount = z.int().nonnegative()

import type { Unfit } from './unfit.ts'

/**
 * The list of the parts of a backup. It is saved last: a backup without it does not exist. With
 * `site` the site can be created again on an empty server.
 */
export const Manifest = z.object({
  version: z.literal(1),
  at: z.iso.datetime(),
  domain: Domain,
  repository: RepositoryName,
  site: z.record(z.string(), z.unknown()).describe('The record of the site.'),
  files: z.object({
    ...{ snapshot: SnapshotId, count: amount, bytes: amount },
    excluded: z
      .array(z.string().max(255))
      .default([])
      .describe('What the site leaves out: paths below its public folder.'),
  }),
  /** The saved database; null when the site had none. */
  database: z
    .object({
      snapshot: SnapshotId,
      bytes: amount,
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      tables: amount,
      names: z.array(z.string()).optional().describe('Of its tables.'),
      character_set: z.string().max(64),
      collation: z.string().max(64),
    })
    .nullable(),
  /** The baseline of a staging site (kernel/baseline/baseline.ts); absent for other sites. */
  baseline: z.unknown().optional(),
})
export type Manifest = z.infer<typeof Manifest>

/** The system user of the site, whose folder the files were in. */
export const userIn = ({ site, repository }: Manifest): string =>
  RepositoryName.safeParse(site.user).data ?? repository

/** The snapshots that a manifest names. */
export const partsIn = ({ files, database }: Manifest): string[] => [
  files.snapshot,
  ...(database ? [database.snapshot] : []),
]

/** The paths of files that were left out, as `excluded` has them. */
const leftIn = (unfit: readonly Unfit[]) =>
  unfit.flatMap(({ path }) => /^public\/(.{1,255})$/s.exec(path)?.[1] ?? [])

export const MANIFEST = 'manifest.json'
export const DUMP = 'database.sql'

/** What a backup has saved before its manifest. */
interface Saved {
  at: string
  database: { snapshot: Summary; dump: StreamedDump } | undefined
  files: Summary
  /** What the files lack. */
  unfit: Unfit[]
  /** The baseline of a staging site (kernel/baseline/baseline.ts); absent for other sites. */
  baseline: unknown
}

/** After files and database are saved. The hashes of passwords of clients stay on the server. */
export async function manifestOf(
  host: Host,
  { clients: _, ...site }: Site,
  { at, database, files, unfit, baseline }: Saved,
  { repository, excluded }: { repository: string; excluded: string[] },
): Promise<Manifest> {
  const docroot = await host.files.stat(docrootOf(site.user))
  if (!docroot) throw new Error(`${site.domain} was not saved`)
  return {
    version: 1,
    at,
    domain: site.domain,
    repository,
    site,
    files: {
      snapshot: files.snapshot_id,
      count: files.total_files_processed,
      bytes: files.total_bytes_processed,
      excluded: [...excluded, ...leftIn(unfit)],
    },
    database: database ? await ofDatabase(host, site, database) : null,
    ...(baseline !== undefined && { baseline }),
  }
}

async function ofDatabase(
  host: Host,
  { user }: Site,
  { snapshot, dump }: NonNullable<Saved['database']>,
): Promise<NonNullable<Manifest['database']>> {
  const account = await findAccount(host, user)
  return {
    snapshot: snapshot.snapshot_id,
    bytes: dump.bytes,
    sha256: dump.sha256,
    tables: dump.tables,
    names: [...dump.names],
    character_set: account?.character_set ?? CHARACTERS.character_set,
    collation: account?.collation ?? CHARACTERS.collation,
  }
}

/** Throws for a text that is no manifest. */
export function parseManifest(text: string): Manifest {
  const value = Manifest.safeParse(parsed(text))
  if (!value.success) throw new Error('The manifest of the backup cannot be read')
  return value.data
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
