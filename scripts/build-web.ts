import { createHash } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { buildOnce } from './lib/built-from.ts'
import { draftIn } from './lib/draft.ts'
import { fail } from './lib/fail.ts'
import { must } from './lib/run.ts'

const WEB = 'dashboard/web'
/** The Open Font License asks for its text beside the font. */
const FONT_LICENSE = 'node_modules/@fontsource-variable/inter/LICENSE'
const NOTICES = 'shared/third-party-notices.txt'
const FONTS = ['latin', 'latin-ext'].map(
  (part) => `@fontsource-variable/inter/files/inter-${part}-wght-normal.woff2`,
)

/** The sources of the pages: they import only types from the rest of the dashboard. */
const INPUTS = ['dashboard/web/**/*', 'shared/**/*', 'scripts/build-web.ts']

export type WebBuild = { folder: string; ms: number; fresh: boolean }

/**
 * Builds the pages to `dist/web`: index.html and assets/ with hashed names and compressed forms.
 * Nothing is done if sources, packages and Bun have not changed since the last build.
 */
export async function buildWeb(root: string): Promise<WebBuild> {
  const start = performance.now()
  const folder = join(root, 'dist', 'web')
  const inputs = { root, globs: INPUTS, options: OPTIONS }
  const fresh = await buildOnce(folder, inputs, () => build(root, folder))
  return { folder, ms: performance.now() - start, fresh }
}

async function build(root: string, folder: string): Promise<void> {
  await using draft = await draftIn(join(root, 'dist'), '.draft-web-')
  const assets = join(draft.path, 'assets')
  await mkdir(assets)
  const fonts = await Promise.all(
    FONTS.map((path) => copyHashed(join(root, 'node_modules', path), assets)),
  )
  const [{ main, preloads }, theme, handoff, styles, icon] = await Promise.all([
    bundle(root, assets),
    bundleClassic(root, assets, 'theme.ts'),
    bundleClassic(root, assets, 'handoff/handoff.ts'),
    compileStyles(root, assets, fonts),
    copyHashed(join(root, WEB, 'icon.svg'), assets),
  ])
  await copyFile(join(root, FONT_LICENSE), join(assets, 'inter-license.txt'))
  await copyFile(join(root, NOTICES), join(assets, 'third-party-notices.txt'))
  await compress(assets)
  const shared = { THEME: theme, STYLES: styles, ICON: icon }
  const parts = { ...shared, FONT: fonts[0] ?? '', MAIN: main }
  await writeDocument(
    join(root, WEB, 'index.html'),
    join(draft.path, 'index.html'),
    parts,
    preloads,
  )
  const own = { ...shared, HANDOFF: handoff }
  await writeDocument(
    join(root, WEB, 'handoff', 'index.html'),
    join(draft.path, 'handoff.html'),
    own,
  )
  await rm(folder, { recursive: true, force: true })
  await rename(draft.path, folder)
}

const OPTIONS = {
  target: 'browser',
  minify: true,
  define: { 'process.env.NODE_ENV': '"production"' },
} as const

/** Each page of the router becomes a separate file, loaded when it is opened. */
async function bundle(root: string, outdir: string) {
  const { outputs } = await Bun.build({
    ...OPTIONS,
    entrypoints: [join(root, WEB, 'main.tsx')],
    outdir,
    splitting: true,
    publicPath: '/assets/',
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]' },
  })
  const main = outputs.find(({ kind }) => kind === 'entry-point')
  if (!main) throw new Error('the build has no entry')
  return { main: basename(main.path), preloads: await importsOf(outdir, basename(main.path)) }
}

/** Returns all imports of a module, so that they are loaded at once. */
async function importsOf(folder: string, entry: string): Promise<string[]> {
  const seen = new Set([entry])
  const transpiler = new Bun.Transpiler({ loader: 'js' })
  for (const name of seen) {
    const found = transpiler.scanImports(await readFile(join(folder, name), 'utf8'))
    for (const { kind, path } of found) if (kind === 'import-statement') seen.add(basename(path))
  }
  seen.delete(entry)
  return [...seen]
}

/** Bundles a classic script, which runs before the first paint: dark pages do not flash. */
async function bundleClassic(root: string, outdir: string, source: string): Promise<string> {
  const { outputs } = await Bun.build({
    ...OPTIONS,
    entrypoints: [join(root, WEB, source)],
    outdir,
    format: 'iife',
    naming: '[name]-[hash].[ext]',
  })
  return basename(outputs[0]?.path ?? '')
}

/**
 * Compiles the style sheet. `fonts` are the hashed names of the files that the style sheet requests
 * by plain names.
 */
async function compileStyles(
  root: string,
  assets: string,
  fonts: readonly string[],
): Promise<string> {
  const file = join(assets, 'styles.css')
  const program = join(root, 'node_modules', '@tailwindcss', 'cli', 'dist', 'index.mjs')
  const input = join(root, WEB, 'styles.css')
  await must([process.execPath, program, '--input', input, '--output', file, '--minify'], {
    cwd: root,
  })
  let text = await readFile(file, 'utf8')
  for (const [at, path] of FONTS.entries()) text = text.replace(basename(path), fonts[at] ?? '')
  await writeFile(file, text)
  const name = await copyHashed(file, assets)
  await rm(file)
  return name
}

async function copyHashed(file: string, folder: string): Promise<string> {
  const content = await readFile(file)
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 8)
  const [stem, end] = basename(file).split('.')
  const name = `${stem}-${hash}.${end}`
  await writeFile(join(folder, name), content)
  return name
}

async function compress(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    // Already compressed.
    if (name.endsWith('.woff2')) continue
    const content = await readFile(join(folder, name))
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11 }
    await writeFile(join(folder, `${name}.br`), brotliCompressSync(content, { params }))
    await writeFile(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }))
  }
}

async function writeDocument(
  source: string,
  path: string,
  parts: Record<string, string>,
  preloads: readonly string[] = [],
): Promise<void> {
  const template = await readFile(source, 'utf8')
  const named = template.replace(/%(\w+)%/g, (_, part: string) => `/assets/${parts[part]}`)
  const links = preloads.map((name) => `<link rel="modulepreload" href="/assets/${name}">\n`)
  await writeFile(path, named.replace('</head>', `${links.join('')}</head>`))
}

/** Returns the compressed bytes of JavaScript that any page loads before its own file. */
async function initialSize(folder: string): Promise<number> {
  const document = await readFile(join(folder, 'index.html'), 'utf8')
  const names = [...document.matchAll(/"\/(assets\/[\w.-]+\.js)"/g)].map(([, name]) => name)
  const sizes = names.map(async (name) => (await readFile(join(folder, `${name}.gz`))).byteLength)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

async function main(): Promise<void> {
  const { folder, ms, fresh } = await buildWeb(join(import.meta.dir, '..'))
  const bytes = await initialSize(folder)
  const size = `${(bytes / 1000).toFixed(1)} kB of JavaScript at first (gzip)`
  console.log(`${folder}  ${size}  ${fresh ? `built in ${(ms / 1000).toFixed(2)} s` : 'unchanged'}`)
}

if (import.meta.main) await main().catch(fail)
