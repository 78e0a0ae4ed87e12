import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BunPlugin } from 'bun'
import { buildOnce } from '#scripts/lib/built-from.ts'

/**
 * The dashboard's sources in one file, as they are: it starts in half the time, a hundred times in
 * each run. `dashboard.process.test.ts` starts the sources themselves, as an operator does.
 */
export async function bundleDashboard(root: string): Promise<string> {
  const file = join(root, 'dist/tests/dashboard.js')
  const inputs = { root, globs: ['{dashboard,shared}/**/*.ts'], options: root }
  await buildOnce(file, inputs, () => bundle(root, file))
  return file
}

async function bundle(root: string, file: string): Promise<void> {
  const folder = dirname(file)
  await mkdir(folder, { recursive: true })
  const draft = await mkdtemp(join(folder, '.draft-'))
  try {
    await Bun.build({
      entrypoints: [join(root, 'dashboard/main.ts')],
      target: 'bun',
      outdir: draft,
      // It loads a native module from beside itself.
      external: ['libsql'],
      plugins: [whereItWas],
    })
    await rename(join(draft, 'main.js'), file)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Each source finds what lies beside it where it lies. */
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
