import type { Host } from '#agent/kernel/host/ports.ts'
import { failureIn, type ListedSnapshot, type Opened, type Restic, tryRestic } from './restic.ts'
import type { StoredFile } from './store.ts'

interface Given {
  files: readonly StoredFile[]
  listed: readonly ListedSnapshot[]
}

/**
 * Snapshots whose content is whole, and which the keys of the repository do not open. Throws if
 * restic has left out another one, since it also does that when the storage does not answer: what
 * it lists is all that the rules know.
 */
export async function unlistedIn(
  host: Host,
  restic: Restic,
  opened: Opened,
  { files, listed }: Given,
): Promise<StoredFile[]> {
  const known = new Set(listed.map(({ id }) => id))
  const found: StoredFile[] = []
  for (const file of files) {
    if (file.folder !== 'snapshots' || file.sha256 !== file.name || known.has(file.name)) continue
    const args = ['cat', 'snapshot', file.name, '--no-lock']
    const output = await tryRestic(host, restic, opened, args)
    if (output.code === 0) {
      const name = file.name.slice(0, 8)
      throw new Error(`restic did not list the snapshot ${name}: nothing is removed in this run`)
    }
    // Whoever controls a server can send anything, encrypted or not.
    if (!GARBAGE.test(output.stderr)) throw failureIn(restic, opened, output, args)
    found.push(file)
  }
  return found
}

/** What restic says of the content of a snapshot that it has read: an unknown message has other causes. */
const GARBAGE =
  /failed to load snapshot [0-9a-f]+: (ciphertext verification failed|not supported encoding format|unexpected end of JSON input|json: |invalid (character|input|length)|parsing time |trying to decrypt invalid data|Time\.UnmarshalJSON)/

/** The ids of snapshots that restic left out and that the storage itself cannot read. */
export const unreadableIn = ({ files, listed }: Given): string[] =>
  files
    .filter(({ folder, sha256 }) => folder === 'snapshots' && sha256 === undefined)
    .map(({ name }) => name)
    .filter((name) => listed.every(({ id }) => id !== name))
