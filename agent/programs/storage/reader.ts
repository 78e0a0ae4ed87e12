/** Reads from a storage what needs no password of a repository. */
export interface StorageReader {
  /** Returns the names of all folders; undefined where the storage cannot list them. */
  folders(): Promise<string[] | undefined>
  /** Returns the texts of the files in the folders of keys. A missing repository has none. */
  keys(repositories: readonly string[]): Promise<Map<string, string[]>>
}

/** The maximum number of keys: real repositories have a few of some hundred bytes. */
export const MAX_KEYS = 50
export const MAX_BYTES = 65_536

export const isKeyName = (name: string): boolean => /^[0-9a-f]{64}$/.test(name)

/** Reads the keys of some repositories at once, from storages that return one file at a time. */
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
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, work))
  return found
}

const MAX_CONCURRENT = 8
