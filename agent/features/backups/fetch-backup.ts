import { forgetRepositories, openedOf, openFiles } from '#agent/features/backups/restic/session.ts'
import { create, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Step, Value, Values } from '#agent/kernel/steps/command.ts'
import type { CopySource } from '#shared/copies/copy.ts'
import { fetchParts, readManifest, refuseLackOfSpace } from './fetch.ts'
import type { Manifest } from './manifest.ts'
import { fetchedOf } from './places.ts'

export type FromBackup = Extract<CopySource, { kind: 'backup' }>

interface Fetching<T> {
  from: FromBackup
  /** Checks that the fetched data fits on the disk. */
  prepare(): Promise<void>
  /** Refuses a backup before anything of it is fetched. */
  check?(manifest: Manifest): Promise<void>
  /** Everything is in the folder. */
  fetched(manifest: Manifest): Promise<T>
  /** The result of `fetched`. */
  as: Value<T>
  undo(): Promise<void>
}

/** In the place of a site, in the name of the folder of secrets: its own passwords stay. */
const sessionOf = (user: string): string => `.fetch-${user}`

const BOTH = { files: true, database: true }

/**
 * Fetches a backup, files and database, into a folder of root, and checks it. Nothing of its
 * repository stays on the server.
 */
export function fetchBackupSteps<T>(
  { host, site, gives }: Pick<Values, 'gives'> & { host: Host; site: Site },
  { from, check, prepare, fetched, as, undo }: Fetching<T>,
): Step[] {
  const { target, repository: name, password, backup } = from
  const { user } = site
  const steady = host.steady ?? host
  const repository = { name, target, password }
  const session = sessionOf(user)
  const opened = openedOf(host, repository, session)
  return [
    {
      name: 'target',
      title: 'Connecting to the target',
      ...openFiles(host, repository, session),
      undo: forgetRepositories(steady, session).apply,
    },
    {
      name: 'fetch',
      title: 'Fetching the backup',
      effects: [run('program', 'restic'), create('folder', fetchedOf(user))],
      apply: gives(as, async function* () {
        await prepare()
        const manifest = await readManifest(host, opened, backup)
        await check?.(manifest)
        await refuseLackOfSpace(host, opened, manifest, BOTH)
        yield* fetchParts(host, opened, site, manifest, BOTH)
        return fetched(manifest)
      }),
      undo,
    },
    {
      name: 'close',
      title: 'Disconnecting from the target',
      ...forgetRepositories(host, session),
    },
  ]
}
