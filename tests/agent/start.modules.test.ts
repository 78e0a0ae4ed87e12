import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
const transpiler = new Bun.Transpiler({ loader: 'ts' })

/** The modules of ours that a module loads at once, with those that they load: not by `import()`. */
async function loadedBy(entry: string): Promise<string[]> {
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

test('the start of the agent loads no command and no contract, except those that records of sites have', async () => {
  const loaded = await loadedBy('agent/start.ts')

  const ofCommands =
    /^agent\/commands\.ts$|^(agent\/features|shared)\/([a-z-]+\/)+[a-z]+\.(?!readings)[a-z-]+\.ts$/
  expect(loaded).toContain('agent/kernel/operations/runner.ts')
  expect(loaded.filter((path) => ofCommands.test(path))).toEqual([
    'agent/commands.ts',
    'shared/sites/site.create.ts',
    'shared/sites/site.update.ts',
  ])
})

test('every program of the agent starts without the schemas of its answers', async () => {
  const entries = [
    'main.ts',
    'start.ts',
    'programs/front/serve.ts',
    'programs/mail/serve.ts',
    'kernel/scan/serve.ts',
  ]
  const loaded = await Promise.all(entries.map((name) => loadedBy(`agent/${name}`)))

  expect(loaded.flat()).toContain('shared/kernel/agent-headers.ts')
  expect(entries.filter((_, at) => loaded[at]?.includes('shared/servers/agent.ts'))).toEqual([])
})
