import type { Host } from '#agent/host/ports.ts'
import { NO_REPOSITORY } from '#agent/os/restic/failures.ts'
import { type Opened, tryRestic } from '#agent/os/restic/run.ts'
import type { Progress } from '#agent/steps/command.ts'
import { conflict } from '#shared/errors.ts'
import { readKeys } from './read-keys.ts'

const LIMIT = { timeout_ms: 60_000 }

/** A backup adds this key as soon as restic has completed a repository. */
const OF_RECOVERY = '"recovery-'

/**
 * Work that may create the repository. restic stores the key of a new one first, and never completes
 * one that was interrupted after that: this then throws 409 with what to do. One that has lost its
 * configuration looks the same to restic, and has backups.
 */
export async function* orHalfMade<R>(host: Host, opened: Opened, work: Progress<R>): Progress<R> {
  try {
    return yield* work
  } catch (error) {
    const keys = await keysWithoutConfig(host, opened).catch(() => [])
    if (keys.length === 0) throw error
    const { name } = opened.repository
    throw conflict(
      keys.some((text) => text.includes(OF_RECOVERY))
        ? `The repository ${name} has lost its file config, without which no backup in it can be read: put that file back from a copy of the storage, or choose another target`
        : `The creation of the repository ${name} was interrupted, and restic cannot complete it: remove the folder ${name} from the storage, and try again`,
    )
  }
}

async function keysWithoutConfig(host: Host, opened: Opened): Promise<string[]> {
  const { code } = await tryRestic(host, opened, ['cat', 'config'], LIMIT)
  if (code !== NO_REPOSITORY) return []
  const { target, name } = opened.repository
  const request = { repositories: [name], after: '', most: 1, containing: '"' }
  const { repositories } = await readKeys(host, target, request)
  return repositories.flatMap(({ texts }) => texts)
}
