import { lstat, readdir, readFile } from 'node:fs/promises'
import { eachKeys, isKeyName, MAX_BYTES, MAX_KEYS, type StorageReader } from './reader.ts'

/** Repositories in a folder of this machine. */
export const folderReader = (path: string): StorageReader => ({
  async folders() {
    const entries = await readdir(path, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  },
  keys: (repositories) =>
    eachKeys(repositories, async (repository) => {
      const folder = `${path}/${repository}/keys`
      const names = (await readdir(folder).catch(() => [])).filter(isKeyName)
      const texts: string[] = []
      for (const name of names.slice(0, MAX_KEYS)) {
        const file = await lstat(`${folder}/${name}`)
        if (!file.isFile() || file.size > MAX_BYTES) continue
        texts.push(await readFile(`${folder}/${name}`, 'utf8'))
      }
      return texts
    }),
})
