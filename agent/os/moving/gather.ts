import type { Host } from '#agent/host/ports.ts'
import { saveDatabase, saveFiles } from '#agent/os/backup/save.ts'
import type { Opened } from '#agent/os/restic/run.ts'
import { docrootOf } from '#agent/os/site/paths.ts'
import type { Site } from '#agent/os/site/sites.ts'
import type { Progress } from '#agent/steps/command.ts'
import { conflict } from '#shared/errors.ts'
import type { Gathered } from '#shared/gathered.ts'
import { besides } from './besides.ts'

/** Files and database at the same time: during a freeze, each second counts. */
export async function* gather(host: Host, site: Site, opened: Opened): Progress<Gathered> {
  const at = new Date(host.clock.now()).toISOString()
  const docroot = await host.files.stat(docrootOf(site.user))
  if (!docroot) throw conflict(`${site.domain} has no files`)
  const saving = saveDatabase(host, opened, site)
  const files = yield* besides(saveFiles(host, opened, site, [], ['--no-scan']), saving)
  const database = await saving
  if (!database) throw conflict(`${site.domain} has no database`)
  const { bytes, sha256 } = database.dump
  return {
    at,
    owner: { uid: docroot.uid, gid: docroot.gid },
    files: {
      snapshot: files.snapshot_id,
      count: files.total_files_processed,
      bytes: files.total_bytes_processed,
    },
    database: { snapshot: database.snapshot.snapshot_id, bytes, sha256 },
  }
}
