import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import type { OpenRepository } from './run.ts'

const KeyId = z.string().regex(/^[0-9a-f]{64}$/)
const Keys = z.array(z.object({ current: z.boolean(), id: KeyId }))

const pathOf = ({ cache, repository }: Pick<OpenRepository, 'cache' | 'repository'>) =>
  `${cache}/key-of-${repository.name}`

/**
 * Finds the key of a repository that has its password. Without it restic tries all keys, those of
 * the recovery kit and of the keeper too, each for half a second. A wrong hint costs nothing more
 * than none.
 */
export async function findKeyHint(
  { files }: Host,
  opened: OpenRepository,
): Promise<string | undefined> {
  return KeyId.safeParse((await files.read(pathOf(opened)))?.trim()).data
}

/** Stores the hint from the answer of `restic key list --json`. A failure is no failed backup. */
export async function storeKeyHint(
  host: Host,
  opened: OpenRepository,
  list: string,
): Promise<void> {
  const current = parseJson(Keys, list)?.find((key) => key.current)
  if (!current || current.id === (await findKeyHint(host, opened))) return
  const written = host.files.write(pathOf(opened), `${current.id}\n`, { mode: 0o600 })
  await written.catch(() => undefined)
}
