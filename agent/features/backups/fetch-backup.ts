import {
  openFiles,
  openRepositoryOf,
  removeRepositorySecrets,
} from '#agent/features/backups/restic/session.ts'
import { create, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Step, StepResult, StepResults } from '#agent/kernel/steps/command.ts'
import type { CopySource } from '#shared/copies/copy-source.ts'
import { fetchParts, readManifest, refuseLackOfSpace } from './fetch.ts'
import type { Manifest } from './manifest.ts'
import { fetchedOf } from './paths.ts'

export type BackupSource = Extract<CopySource, { kind: 'backup' }>

interface FetchOptions<T> {
  from: BackupSource
  /** Checks that the fetched data fits on the disk. */
  prepare(): Promise<void>
  /** Refuses a backup before anything of it is fetched. */
  check?(manifest: Manifest): Promise<void>
  /** Runs when everything is in the folder. */
  fetched(manifest: Manifest): Promise<T>
  /** The result of `fetched`. */
  as: StepResult<T>
  undo(): Promise<void>
}

/** The name of the folder of secrets: the passwords of the site itself stay. */
const sessionOf = (user: string): string => `.fetch-${user}`

const BOTH = { files: true, database: true }

/** Fetches files and database of a backup into a folder of root, and checks them. */
export function fetchBackupSteps<T>(
  { host, site, gives }: Pick<StepResults, 'gives'> & { host: Host; site: Site },
  { from, check, prepare, fetched, as, undo }: FetchOptions<T>,
): Step[] {
  const { target, repository: name, password, backup } = from
  const { user } = site
  const steady = host.steady ?? host
  const repository = { name, target, password }
  const session = sessionOf(user)
  const opened = openRepositoryOf(host, repository, session)
  return [
    {
      name: 'target',
      title: 'Connecting to the target',
      ...openFiles(host, repository, session),
      undo: removeRepositorySecrets(steady, session).apply,
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
      ...removeRepositorySecrets(host, session),
    },
  ]
}
