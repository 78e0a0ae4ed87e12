import { Harmful } from '#agent/features/backups/harmless.ts'
import { type Manifest, userIn } from '#agent/features/backups/manifest.ts'
import type { Opened } from '#agent/features/backups/restic/run.ts'
import { withRoom } from '#agent/features/backups/room.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { sizeOf } from '#agent/kernel/host/report-progress.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import type { Hidden } from './as-hidden.ts'
import { checkCore } from './core-files.ts'
import { compareDatabase, fetchDump, loadDump } from './database.ts'
import { countFiles, restoreFiles } from './files.ts'
import { askPages } from './pages.ts'
import type { Findings } from './report.ts'
import { boots } from './wordpress.ts'

/** A backup that is restored, and its copy. */
export interface Restored {
  copy: Site
  manifest: Manifest
  findings: Findings
}

export async function* checkFiles(
  host: Host,
  opened: Opened,
  { copy, manifest, findings }: Restored,
): Progress<void> {
  const restored = () => restoreFiles(host, opened, copy.user, manifest)
  try {
    yield* withRoom(host, copy, manifest, restored)
  } catch (error) {
    if (!(error instanceof Harmful)) throw error
    return findings.end('damaged', error.message)
  }
  const { count, bytes } = await countFiles(host, copy.user)
  findings.files = count
  findings.bytes += bytes
  const { files } = manifest
  if (count === files.count && bytes === files.bytes) return
  const saved = `${files.count} files with ${files.bytes} bytes`
  findings.add('files_differ', `${saved} were saved, and ${count} with ${bytes} were restored`)
}

export async function* checkDump(
  host: Host,
  opened: Opened,
  { copy, manifest, findings }: Restored,
): Progress<void> {
  if (!manifest.database) return
  yield `Fetching the database: ${sizeOf(manifest.database.bytes)}`
  if (await fetchDump(host, opened, copy.user, manifest.database)) {
    findings.bytes += manifest.database.bytes
    return
  }
  findings.end('dump_damaged', 'The dump of the database is not the one that was saved')
}

export async function checkDatabase(
  host: Host,
  { copy: { user }, manifest: { database }, findings }: Restored,
): Promise<void> {
  if (!database) return
  const refusal = await loadDump(host, user, database)
  if (refusal !== undefined) return findings.end('database_refused', refusal)
  const { tables, rows, differing } = await compareDatabase(host, user)
  findings.tables = tables
  findings.rows = rows
  if (differing > 0) {
    const message = `${differing} of ${tables + differing} tables differ from the dump`
    findings.add('database_differs', message)
  } else if (tables !== database.tables) {
    const message = `${database.tables} tables were saved, and ${tables} were restored`
    findings.add('database_differs', message)
  }
}

/** The copy as its programs run: with the paths of the original. */
const hiddenOf = ({ copy: { user, php }, manifest }: Restored): Hidden => ({
  ...{ user, php, original: userIn(manifest) },
})

export async function checkBoot(host: Host, restored: Restored): Promise<void> {
  if (await boots(host, hiddenOf(restored))) return
  restored.findings.add('does_not_boot', 'WordPress does not start with its plugins and theme')
}

export async function checkPages(host: Host, restored: Restored): Promise<void> {
  const { copy, manifest, findings } = restored
  const visit = { domain: manifest.domain, tier: copy.tier }
  const answers = await askPages(host, hiddenOf(restored), visit)
  findings.pages = answers.map(({ path, status }) => ({ path, status }))
  for (const { path, status, complete } of answers) {
    if (status === 0) findings.add('page_fails', `${path} has no answer`)
    else if (status >= 500) findings.add('page_fails', `${path} is answered with ${status}`)
    else if (!complete) findings.add('page_fails', `${path} is cut off before its end`)
  }
}

export async function compareCore(host: Host, restored: Restored): Promise<void> {
  const { findings } = restored
  const { core, core_list, differing } = await checkCore(host, hiddenOf(restored))
  findings.core = core
  findings.core_list = core_list
  if (differing === 0) return
  findings.add('core_differs', `${differing} files of WordPress are not the published ones`)
}
