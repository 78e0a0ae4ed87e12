import { z } from 'zod'
import { isFull, NO_REPOSITORY, SIGNALLED } from '#agent/features/backups/restic/failures.ts'
import { hostNameOf } from '#agent/features/backups/restic/prepare.ts'
import type { Host, Output } from '#agent/kernel/host/ports.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import { opened, publicOf } from './key.ts'
import {
  failureIn,
  isOver,
  type KeeperRestic,
  type OpenKeeperRepository,
  throwUnlessRepository,
  tryRestic,
} from './restic.ts'
import type { Store, StoredFile } from './store.ts'

const Key = z.object({ hostname: z.string(), username: z.string().max(4096) })
/** The maximum number of keys: real repositories have a few, and a server may add thousands. */
const MAX_KEYS = 200
const MAX_BYTES = 65_536

/**
 * Opens a repository with the key that agents added for this keeper. Every key with its name is
 * tried, the one of the last run first: a server can add others, which open nothing. Throws if the
 * storage does not answer, or if none opens and memory or space was short for one.
 */
export async function openRepository(
  host: Host,
  restic: KeeperRestic,
  {
    store,
    name,
    files,
    key,
    last,
  }: {
    store: Store
    name: string
    files: readonly StoredFile[]
    key: Secret
    last: string | undefined
  },
): Promise<OpenKeeperRepository | undefined> {
  const own = hostNameOf('keeper', publicOf(key.reveal()))
  let lack: Error | undefined
  for (const file of keysInOrder(files, last)) {
    const sealed = sealedIn(await store.read(name, file), own)
    const password = sealed === undefined ? undefined : opened(key, sealed)
    if (!password) continue
    const repository = { store, name, password, key: file.name }
    const args = ['cat', 'config', '--no-lock']
    const output = await tryRestic(host, restic, repository, args)
    if (output.code === 0) return repository
    if (output.code === NO_REPOSITORY) return undefined
    const found = lackIn(restic, repository, output, args)
    lack ??= found
  }
  if (lack) throw lack
  return undefined
}

/** Returns the lack of memory for a key; the next one may open the repository. */
function lackIn(
  restic: KeeperRestic,
  repository: OpenKeeperRepository,
  output: Output,
  args: readonly string[],
): Error | undefined {
  const failure = failureIn(restic, repository, output, args)
  if (isFull(failure) || (output.code >= SIGNALLED && !isOver(restic))) return failure
  throwUnlessRepository(restic, repository, output, args)
  return undefined
}

function keysInOrder(files: readonly StoredFile[], last: string | undefined): StoredFile[] {
  const keys = files.filter(({ folder, size }) => folder === 'keys' && size <= MAX_BYTES)
  const oldest = keys.sort((a, b) => a.at - b.at)
  return oldest.sort((a, b) => Number(b.name === last) - Number(a.name === last)).slice(0, MAX_KEYS)
}

/** Returns keys that are not JSON, at which restic stops without another name. */
export async function brokenKeys(
  store: Store,
  name: string,
  files: readonly StoredFile[],
): Promise<StoredFile[]> {
  const broken: StoredFile[] = []
  for (const file of keysInOrder(files, undefined)) {
    if (file.sha256 === file.name && !parseJson(Key, await store.read(name, file)))
      broken.push(file)
  }
  return broken
}

function sealedIn(text: string, own: string): string | undefined {
  const key = parseJson(Key, text)
  return key?.hostname === own ? key.username : undefined
}
