import type { Host } from '#agent/host/ports.ts'
import { saveDatabase, saveFiles } from '#agent/os/backup/save.ts'
import { databaseDigests } from '#agent/os/database/digests.ts'
import type { Opened } from '#agent/os/restic/run.ts'
import { docrootOf } from '#agent/os/site/paths.ts'
import type { Site } from '#agent/os/site/sites.ts'
import type { Progress } from '#agent/steps/command.ts'
import { conflict } from '#shared/errors.ts'
import { type CopiedTable, type Gathered, MOST_TABLES } from '#shared/gathered.ts'
import { besides } from './besides.ts'
import { differing } from './differing.ts'

type Database = Pick<Gathered, 'database' | 'tables'>

/**
 * Files and database at the same time: during a freeze, each second counts. With `known`, what the
 * copy has, only other tables are saved: nobody may write to the site meanwhile.
 */
export async function* gather(
  host: Host,
  site: Site,
  opened: Opened,
  known?: readonly CopiedTable[],
): Progress<Gathered> {
  const at = new Date(host.clock.now()).toISOString()
  const docroot = await host.files.stat(docrootOf(site.user))
  if (!docroot) throw conflict(`${site.domain} has no files`)
  const saving = known ? changed(host, site, opened, known) : whole(host, site, opened)
  const files = yield* besides(saveFiles(host, opened, site, [], ['--no-scan']), saving)
  return {
    at,
    owner: { uid: docroot.uid, gid: docroot.gid },
    files: {
      snapshot: files.snapshot_id,
      count: files.total_files_processed,
      bytes: files.total_bytes_processed,
    },
    ...(await saving),
  }
}

async function whole(
  host: Host,
  site: Site,
  opened: Opened,
  only?: readonly string[],
): Promise<Database> {
  const saved = await saveDatabase(host, opened, site, only)
  if (!saved) throw conflict(`${site.domain} has no database`)
  const { bytes, sha256 } = saved.dump
  return { database: { snapshot: saved.snapshot.snapshot_id, bytes, sha256 } }
}

async function changed(
  host: Host,
  site: Site,
  opened: Opened,
  known: readonly CopiedTable[],
): Promise<Database> {
  const tables = await databaseDigests(host, site, [])
  if (tables.length > MOST_TABLES) return whole(host, site, opened)
  const others = differing(tables, known)
  // Those that are gone are in no dump.
  const present = others.filter((name) => tables.some(({ table }) => table === name))
  if (present.length === 0) return { database: null, tables }
  return { ...(await whole(host, site, opened, present)), tables }
}
