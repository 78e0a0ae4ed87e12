import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { failureOf, NO_REPOSITORY } from './failures.ts'
import { findKeyHint, storeKeyHint } from './key-hint.ts'
import { type OpenRepository, runRestic, tryRestic } from './run.ts'
import { fingerprintOf, sealTo } from './seal.ts'
import { isCreationInterrupted, recordingCreation } from './session.ts'

const MINUTE_MS = 60_000

const Keys = z.array(z.object({ userName: z.string(), hostName: z.string() }))

export interface KeyOwners {
  recovery_key: string
  keeper_key?: string | undefined
}

/**
 * Creates a missing repository, and adds a key for each owner whose name is its own password,
 * encrypted to the key of the owner: whoever has that key and the storage needs nothing else.
 * restic does not encrypt names of keys.
 */
export async function* prepareRepository(
  host: Host,
  opened: OpenRepository,
  owner: string,
  { recovery_key, keeper_key }: KeyOwners,
): Progress<void> {
  const found = await tryRestic(host, opened, ['key', 'list', '--json'], {
    timeout_ms: 5 * MINUTE_MS,
  })
  const { target, password, name } = opened.repository
  if (found.code === NO_REPOSITORY) {
    yield `Creating the repository ${name}`
    await initialise(host, opened, owner)
  } else if (found.code !== 0) throw failureOf(found, [target.secret, password])
  await storeKeyHint(host, opened, found.stdout)
  const present = new Set(parseJson(Keys, found.stdout)?.map((key) => key.hostName))
  if (!present.has(hostNameOf('recovery', recovery_key))) {
    yield 'Storing the password for the recovery kit'
    await addKey(host, opened, 'recovery', recovery_key)
  }
  if (keeper_key === undefined || present.has(hostNameOf('keeper', keeper_key))) return
  yield 'Storing the password for the keeper'
  await addKey(host, opened, 'keeper', keeper_key)
}

/** Throws conflict, with what to do, for a repository that somebody else left incomplete. */
async function initialise(host: Host, opened: OpenRepository, owner: string): Promise<void> {
  const { target, password, name } = opened.repository
  const init = ['init', '--repository-version', '2']
  const was_interrupted = await isCreationInterrupted(host, owner, name)
  const refused = conflict(
    `The repository ${name} has no file config, without which no backup in it can be read: put that file back from a copy of the storage, or remove the folder ${name} if it has no backups`,
  )
  const has_keys = await recordingCreation(host, owner, name, async () => {
    const ended = await tryRestic(host, opened, init, { timeout_ms: 5 * MINUTE_MS })
    const found_keys = HAS_KEYS.test(ended.stderr)
    if (found_keys && was_interrupted) throw refused
    if (ended.code !== 0 && !found_keys) throw failureOf(ended, [target.secret, password])
    return found_keys
  })
  // restic has created nothing: with its file back, the repository is used again.
  if (has_keys) throw refused
}

const HAS_KEYS = /repository already contains keys/

/** Caches the key hint before several runs of restic: each one then opens the repository faster. */
export async function cacheKeyHint(host: Host, opened: OpenRepository): Promise<void> {
  if ((await findKeyHint(host, opened)) !== undefined) return
  const args = ['key', 'list', '--json', '--no-lock']
  const { stdout } = await tryRestic(host, opened, args, { timeout_ms: 5 * MINUTE_MS })
  await storeKeyHint(host, opened, stdout)
}

export const hostNameOf = (owner: 'recovery' | 'keeper', key: string): string =>
  `${owner}-${fingerprintOf(key)}`

async function addKey(
  host: Host,
  opened: OpenRepository,
  owner: 'recovery' | 'keeper',
  key: string,
): Promise<void> {
  const user = sealTo(key, opened.repository.password)
  const named = ['--user', user, '--host', hostNameOf(owner, key)]
  const add = ['key', 'add', '--new-password-file', '/run/backup/password', ...named]
  await runRestic(host, opened, add, { timeout_ms: 5 * MINUTE_MS })
}
