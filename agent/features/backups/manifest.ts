import { z } from 'zod'
import type { Summary } from '#agent/features/backups/restic/progress.ts'
import { CHARACTERS } from '#agent/kernel/database/account.ts'
import { findAccount } from '#agent/kernel/database/account-record.ts'
import type { StreamedDump } from '#agent/kernel/database/dump.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { RepositoryName, SnapshotId } from '#shared/backups/backup.ts'
import { Domain } from '#shared/kernel/fields.ts'
import { parseJson } from '#shared/kernel/parse.ts'

const amount = z.int().nonnegative()

import type { UnfitFile } from './unfit-files.ts'

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
    snapshot: SnapshotId,
    count: amount,
    bytes: amount,
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

/** Returns the system user of the site, in whose folder the files were. */
export const userIn = ({ site, repository }: Manifest): string =>
  RepositoryName.safeParse(site.user).data ?? repository

export const partsIn = ({ files, database }: Manifest): string[] => [
  files.snapshot,
  ...(database ? [database.snapshot] : []),
]

/** Returns the paths of files that were left out, in the form of `excluded`. */
const leftOutPaths = (unfit: readonly UnfitFile[]) =>
  unfit.flatMap(({ path }) => /^public\/(.{1,255})$/s.exec(path)?.[1] ?? [])

export const MANIFEST = 'manifest.json'
export const DUMP = 'database.sql'

interface SavedParts {
  at: string
  database: { snapshot: Summary; dump: StreamedDump } | undefined
  files: Summary
  unfit: UnfitFile[]
  /** The baseline of a staging site (kernel/baseline/baseline.ts); absent for other sites. */
  baseline: unknown
}

/** Creates the manifest after files and database are saved. Hashes of passwords stay here. */
export async function manifestOf(
  host: Host,
  { clients: _, ...site }: Site,
  { at, database, files, unfit, baseline }: SavedParts,
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
      excluded: [...excluded, ...leftOutPaths(unfit)],
    },
    database: database ? await databaseEntry(host, site, database) : null,
    ...(baseline !== undefined && { baseline }),
  }
}

async function databaseEntry(
  host: Host,
  { user }: Site,
  { snapshot, dump }: NonNullable<SavedParts['database']>,
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
  const manifest = parseJson(Manifest, text)
  if (!manifest) throw new Error('The manifest of the backup cannot be read')
  return manifest
}
