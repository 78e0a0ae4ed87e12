/** What a storage needs no password of a repository for. */
export interface StorageReader {
  /** The names of all folders; undefined where the storage cannot list them. */
  folders(): Promise<string[] | undefined>
  /** The texts of the files in the folders of keys. A missing repository has none. */
  keys(repositories: readonly string[]): Promise<Map<string, string[]>>
}

/** Real repositories have a few keys, and restic writes some hundred bytes for each. */
export const MAX_KEYS = 50
export const MAX_BYTES = 65_536

export const isKeyName = (name: string): boolean => /^[0-9a-f]{64}$/.test(name)

/** For storages that are asked for one file at a time: some repositories at once. */
export async function eachKeys(
  repositories: readonly string[],
  keysOf: (repository: string) => Promise<string[]>,
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  const waiting = [...repositories]
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      found.set(name, await keysOf(name))
    }
  }
  await Promise.all(Array.from({ length: SIMULTANEOUS }, work))
  return found
}

const SIMULTANEOUS = 8
