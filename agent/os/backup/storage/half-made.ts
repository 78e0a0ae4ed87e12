import type { Host } from '#agent/host/ports.ts'
import { NO_REPOSITORY } from '#agent/os/restic/failures.ts'
import { type Opened, tryRestic } from '#agent/os/restic/run.ts'
import type { Progress } from '#agent/steps/command.ts'
import { conflict } from '#shared/errors.ts'
import { readKeys } from './read-keys.ts'

const LIMIT = { timeout_ms: 60_000 }

/**
 * Work that may create the repository. restic stores the key of a new one first, and never completes
 * one that was interrupted after that: this then throws 409 with what to do.
 */
export async function* orHalfMade<R>(host: Host, opened: Opened, work: Progress<R>): Progress<R> {
  try {
    return yield* work
  } catch (error) {
    if (!(await isHalfMade(host, opened).catch(() => false))) throw error
    const { name } = opened.repository
    throw conflict(
      `The creation of the repository ${name} was interrupted, and restic cannot complete it: remove the folder ${name} from the storage, and try again`,
    )
  }
}

async function isHalfMade(host: Host, opened: Opened): Promise<boolean> {
  const { code } = await tryRestic(host, opened, ['cat', 'config'], LIMIT)
  if (code !== NO_REPOSITORY) return false
  const { target, name } = opened.repository
  const request = { repositories: [name], after: '', most: 1, containing: '"' }
  const { repositories } = await readKeys(host, target, request)
  return repositories.some(({ texts }) => texts.length > 0)
}
