import { fetchedOf, filesIn, restoreFolders } from '#agent/features/backups/paths.ts'
import { sanitizeFiles } from '#agent/features/backups/sanitize-files.ts'
import { copyFiles, INCOMING, writingTo } from '#agent/features/copies/clone/files.ts'
import { removedTree } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { runAsSite } from '#agent/kernel/sandbox/run.ts'
import { CONFIG_FILE, UPLOADS_FOLDER } from '#agent/kernel/site/content-paths.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'

const DAY_MS = 24 * 60 * 60_000
const PRIVATE = { mode: 0o700 }

/** The folder of root in which the next state of a site is prepared, empty. */
export async function prepareFetched(host: Host, user: string): Promise<string> {
  const folder = fetchedOf(user)
  await removedTree(host, 'folder', folder).apply()
  for (const path of [...restoreFolders(user), folder]) await host.files.mkdir(path, PRIVATE)
  return folder
}

/** Copies the files of another site, owned by the user of this one. Returns their bytes. */
export async function fetchSiteFiles(
  host: Host,
  from: Site,
  { user }: Site,
  without: readonly string[] = [],
): Promise<number> {
  const into = filesIn(fetchedOf(user))
  await host.files.mkdir(into, { mode: 0o750, owner: user })
  return copyFiles(host, from, { user }, { into, without })
}

export const WITHOUT_CONFIG = [CONFIG_FILE]

/**
 * Copies what a live site keeps beside the pushed files: its wp-config.php, and uploads that are
 * newer or missing on the staging site. A second call copies only the difference.
 */
export async function keepOwnFiles(host: Host, site: Site): Promise<void> {
  const own = docrootOf(site.user)
  const as = async (argv: readonly string[]) =>
    runAsSite(host, site, argv, {
      ...writingTo(filesIn(fetchedOf(site.user))),
      network: false,
      umask: 0o027,
      timeout_ms: DAY_MS,
    })
  await as(['cp', '--archive', '--', `${own}/${CONFIG_FILE}`, `${INCOMING}/${CONFIG_FILE}`])
  const found = await as(['find', `${own}/wp-content/`, '-maxdepth', '1', '-name', 'uploads'])
  if (found.stdout === '') return
  await as(['mkdir', '--parents', `${INCOMING}/${UPLOADS_FOLDER}`])
  const merge = ['cp', '--archive', '--update', '--no-target-directory', '--']
  await as([...merge, `${own}/${UPLOADS_FOLDER}`, `${INCOMING}/${UPLOADS_FOLDER}`])
  await sanitizeFiles(host, site.user, filesIn(fetchedOf(site.user)))
}
