import { makeHarmless } from '#agent/features/backups/harmless.ts'
import { fetchedOf, filesIn, restoreFolders } from '#agent/features/backups/places.ts'
import { copyFiles, INCOMING, writingTo } from '#agent/features/copies/clone/files.ts'
import { removedTree } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { runAsSite } from '#agent/kernel/sandbox/run.ts'
import { CONFIG, UPLOADS } from '#agent/kernel/site/content.ts'
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

/** The files of another site, which the user of this one owns. Returns their bytes. */
export async function fetchSite(
  host: Host,
  from: Site,
  { user }: Site,
  without: readonly string[] = [],
): Promise<number> {
  const into = filesIn(fetchedOf(user))
  await host.files.mkdir(into, { mode: 0o750, owner: user })
  return copyFiles(host, from, { user }, { into, without })
}

/** A live site keeps its own. */
export const WITHOUT_CONFIG = [CONFIG]

/**
 * What a live site keeps beside the files that a push brings: its wp-config.php, and uploads that
 * are newer or that the staging site does not have. Only the difference to an earlier call is copied.
 */
export async function keepOwnFiles(host: Host, site: Site): Promise<void> {
  const own = docrootOf(site.user)
  const as = async (argv: readonly string[]) =>
    runAsSite(host, site, argv, {
      ...writingTo(filesIn(fetchedOf(site.user))),
      ...{ network: false, umask: 0o027, timeout_ms: DAY_MS },
    })
  await as(['cp', '--archive', '--', `${own}/${CONFIG}`, `${INCOMING}/${CONFIG}`])
  const found = await as(['find', `${own}/wp-content/`, '-maxdepth', '1', '-name', 'uploads'])
  if (found.stdout === '') return
  await as(['mkdir', '--parents', `${INCOMING}/${UPLOADS}`])
  const merge = ['cp', '--archive', '--update', '--no-target-directory', '--']
  await as([...merge, `${own}/${UPLOADS}`, `${INCOMING}/${UPLOADS}`])
  await makeHarmless(host, site.user, filesIn(fetchedOf(site.user)))
}
