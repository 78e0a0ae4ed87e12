import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BunPlugin } from 'bun'
import { buildOnce } from '#scripts/lib/built-from.ts'

/**
 * The dashboard's sources, bundled: it starts in half the time, a hundred times in each run.
 * `dashboard.process.test.ts` also starts the sources themselves, as an operator does.
 */
export async function compileDashboard(root: string): Promise<string> {
  const file = join(root, 'dist/tests/dashboard')
  const inputs = { root, globs: ['{dashboard,shared}/**/*.ts'], options: root }
  await buildOnce(file, inputs, () => compile(root, file))
  return file
}

async function compile(root: string, file: string): Promise<void> {
  const folder = dirname(file)
  await mkdir(folder, { recursive: true })
  const draft = await mkdtemp(join(folder, '.draft-'))
  try {
    const outfile = join(draft, 'dashboard')
    await Bun.build({
      entrypoints: [join(root, 'dashboard/main.ts')],
      target: 'bun',
      format: 'esm',
      bytecode: true,
      compile: { outfile },
      plugins: [whereItWas, nativeWhereItIs(root)],
    })
    await rename(outfile, file)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Each source finds files beside it at its own path. */
const whereItWas: BunPlugin = {
  name: 'where it was',
  setup(build) {
    build.onLoad({ filter: /\/(dashboard|shared)\/.*\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text()
      const place: Record<string, string> = { dir: dirname(path), url: pathToFileURL(path).href }
      const contents = text.replaceAll(/import\.meta\.(\w+)/g, (whole, field: string) =>
        field in place ? JSON.stringify(place[field]) : whole,
      )
      return { contents, loader: 'ts' }
    })
  },
}

/** libsql loads its native part by a computed name, which no bundle contains. */
const nativeWhereItIs = (root: string): BunPlugin => ({
  name: 'native where it is',
  setup(build) {
    build.onLoad({ filter: /node_modules\/libsql\/index\.js$/ }, async ({ path }) => {
      const text = await Bun.file(path).text()
      const folder = join(root, 'node_modules/@libsql')
      const contents = text.replace(
        /require\(`@libsql\/(.*)`\)/,
        'require(`$FOLDER/$1/index.node`)',
      )
      if (contents === text) throw new Error(`${path} loads its native half in another way now`)
      return { contents: contents.replace('$FOLDER', folder), loader: 'js' }
    })
  },
})
