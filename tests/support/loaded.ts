import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
const transpiler = new Bun.Transpiler({ loader: 'ts' })

/** The modules of ours that a module loads at once, with those that they load: not by `import()`. */
export async function loadedBy(entry: string): Promise<string[]> {
  const found = new Set<string>()
  const add = async (path: string): Promise<void> => {
    if (found.has(path)) return
    found.add(path)
    const imports = transpiler.scanImports(await readFile(join(ROOT, path), 'utf8'))
    for (const { kind, path: name } of imports)
      if (kind === 'import-statement' && /^[.#].*\.ts$/.test(name)) await add(fileOf(name, path))
  }
  await add(entry)
  return [...found].toSorted()
}

const fileOf = (name: string, from: string) =>
  name.startsWith('#') ? name.slice(1) : relative(ROOT, join(ROOT, from, '..', name))
