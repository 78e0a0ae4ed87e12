import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { must } from '#tests/support/lab/index.ts'

const PUBLISHED = ['agent', 'dashboard', 'shared', 'scripts', 'README.md', 'LICENSE']
const SETTINGS = ['package.json', 'bun.lock', 'bunfig.toml', 'tsconfig.json']
const AUTHOR = ['-c', 'user.name=Lab', '-c', 'user.email=lab@example.test']

/** A repository of these sources, to clone and pull. */
export async function makeRepository() {
  const folder = await mkdtemp(join(tmpdir(), 'repository-'))
  const git = (...args: string[]) => must(['git', '-C', folder, ...AUTHOR, ...args])
  for (const name of [...PUBLISHED, ...SETTINGS])
    await cp(name, join(folder, name), { recursive: true })
  await git('init', '-q', '-b', 'main')
  const commit = async (words: string) => {
    await git('add', '--all')
    await git('commit', '-q', '-m', words)
  }
  await commit('First version')
  return {
    folder,
    /** Publishes the next version. */
    async publish(version: string): Promise<void> {
      const file = join(folder, 'package.json')
      const manifest = JSON.parse(await readFile(file, 'utf8'))
      await writeFile(file, `${JSON.stringify({ ...manifest, version }, null, 2)}\n`)
      await commit(`Version ${version}`)
    },
    /** Publishes a dashboard that migrates its records and then ends. */
    async publishBroken(): Promise<void> {
      const migrations = join(folder, 'dashboard/db/migrations')
      const journal = join(migrations, 'meta/_journal.json')
      const { entries, ...rest } = JSON.parse(await readFile(journal, 'utf8'))
      const added = { ...entries.at(-1), idx: entries.length, when: Date.now(), tag: '0999_new' }
      await writeFile(join(migrations, '0999_new.sql'), 'CREATE TABLE `new` (`id` integer);\n')
      await writeFile(journal, JSON.stringify({ ...rest, entries: [...entries, added] }))
      const file = join(folder, 'dashboard/start.ts')
      const source = await readFile(file, 'utf8')
      const point = '  deps.pulses.start()\n'
      if (!source.includes(point)) throw new Error(`${file} has no line to break`)
      const broken = source.replace(point, `  throw new Error('broken on purpose')\n${point}`)
      await writeFile(file, broken)
      await commit('A version that does not start')
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
