import type { Host } from '#agent/host/ports.ts'
import { configFor } from '#agent/os/restic/config-file.ts'
import { NO_REPOSITORY } from '#agent/os/restic/failures.ts'
import { masterKeysIn } from '#agent/os/restic/key-file.ts'
import { type Opened, tryRestic } from '#agent/os/restic/run.ts'
import type { Progress } from '#agent/steps/command.ts'
import { conflict } from '#shared/errors.ts'
import { addConfig, readKeys } from './read-keys.ts'

const LIMIT = { timeout_ms: 60_000 }

/** A backup adds this key as soon as restic has completed a repository. */
const OF_RECOVERY = '"recovery-'
/** Each costs the time of a password. */
const MOST_TRIED = 4

/**
 * Work that may create the repository. restic stores the key of a new one first, and never completes
 * one that was interrupted after that: this does, and begins the work again. Nothing is replaced or
 * deleted. Throws 409 with what to do if the key has another password, and for a repository that
 * has lost its configuration, which looks the same to restic, and has backups.
 */
export async function* orHalfMade<R>(
  host: Host,
  opened: Opened,
  work: () => Progress<R>,
): Progress<R> {
  try {
    return yield* work()
  } catch (error) {
    const keys = await keysWithoutConfig(host, opened).catch(() => [])
    if (keys.length === 0) throw error
    const { name } = opened.repository
    if (keys.some((text) => text.includes(OF_RECOVERY))) {
      throw conflict(
        `The repository ${name} has lost its file config, without which no backup in it can be read: put that file back from a copy of the storage, or choose another target`,
      )
    }
    yield `Completing the repository ${name}, whose creation was interrupted`
    await complete(host, opened, keys)
    return yield* work()
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

async function complete(host: Host, { repository }: Opened, keys: string[]): Promise<void> {
  const { target, name, password } = repository
  for (const text of keys.slice(0, MOST_TRIED)) {
    const master = await masterKeysIn(text, password)
    if (master) return addConfig(host, target, name, configFor(master, host.random))
  }
  throw conflict(
    `The creation of the repository ${name} was interrupted, and its key has another password: remove the folder ${name} from the storage, and try again`,
  )
}
