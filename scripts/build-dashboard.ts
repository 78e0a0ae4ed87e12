import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { BunPlugin } from 'bun'
import { buildOnce } from './lib/built-from.ts'
import { draftIn } from './lib/draft.ts'
import { fail } from './lib/fail.ts'

const INPUTS = ['dashboard/**/*.ts', 'shared/**/*', 'scripts/build-dashboard.ts']

export type DashboardBuild = { file: string; ms: number; fresh: boolean }

/**
 * Compiles the dashboard to the executable `dist/hosting-control`, for this machine. It reads the
 * migrations, the pages and the native part of libsql from the folder that `dist/` is in. Stack
 * traces name the sources. The file is replaced atomically; nothing is done if sources, packages
 * and Bun have not changed since the last build.
 */
export async function buildDashboard(root: string): Promise<DashboardBuild> {
  const start = performance.now()
  const file = join(root, 'dist/hosting-control')
  const inputs = { root, globs: INPUTS, options: OPTIONS }
  const fresh = await buildOnce(file, inputs, () => build(root, file))
  return { file, ms: performance.now() - start, fresh }
}

/** Nothing is minified: a stack trace has the names of the sources. */
const OPTIONS = { target: 'bun', format: 'esm', bytecode: true, sourcemap: 'linked' } as const

async function build(root: string, file: string): Promise<void> {
  await using draft = await draftIn(join(root, 'dist'), '.draft-dashboard-')
  const outfile = join(draft.path, 'hosting-control')
  await Bun.build({
    ...OPTIONS,
    entrypoints: [join(root, 'dashboard/main.ts')],
    // Otherwise it would read `.env` and `bunfig.toml` of the folder that it is started in.
    compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
    plugins: [NATIVE_PART],
  })
  await rename(outfile, file)
}

/** libsql loads its native part by a computed name, which no bundle contains. */
const NATIVE_PART: BunPlugin = {
  name: 'native part of libsql',
  setup(build) {
    build.onLoad({ filter: /node_modules\/libsql\/index\.js$/ }, async ({ path }) => {
      const text = await Bun.file(path).text()
      const contents = text.replace(/require\(`@libsql\/(.*)`\)/, `require(\`${PACKAGES}/$1\`)`)
      if (contents === text) throw new Error(`${path} loads its native part in another way now`)
      return { contents, loader: 'js' }
    })
  },
}

const PACKAGES = `\${require('node:path').dirname(process.execPath)}/../node_modules/@libsql`

async function main(): Promise<void> {
  const { file, ms, fresh } = await buildDashboard(join(import.meta.dir, '..'))
  console.log(`${file}  ${fresh ? `built in ${(ms / 1000).toFixed(2)} s` : 'unchanged'}`)
}

if (import.meta.main) await main().catch(fail)
