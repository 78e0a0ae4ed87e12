import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from './lib/fail.ts'

const NOTICES = 'shared/third-party-notices.txt'

/** The programs and pages that are built, and what they have from packages that no bundler sees. */
const PRODUCTS = [
  { name: 'hosting-agent', entry: 'agent/main.ts', target: 'bun', also: [] },
  { name: 'hosting-control', entry: 'dashboard/main.ts', target: 'bun', also: [] },
  {
    name: 'web UI',
    entry: 'dashboard/web/main.tsx',
    target: 'browser',
    also: ['tailwindcss', '@fontsource-variable/inter'],
  },
] as const

const HEAD = `Third-party notices of Hosting Control

The programs and the web UI contain parts of the packages below, each under its own license.

hosting-agent and hosting-control also contain Bun, which is under the MIT license and contains
JavaScriptCore and WebKit (LGPL 2) and other libraries. The page
https://bun.com/docs/project/licensing lists them with their licenses, and how to link Bun again
with changed libraries.
`

interface Package {
  name: string
  version: string
  license: string
  source: string
  folder: string
  products: string[]
}

/** Renders the notices: each package that a bundle contains, with its licenses. */
async function noticesOf(root: string): Promise<string> {
  const packages = new Map<string, Package>()
  for (const { name, entry, target, also } of PRODUCTS) {
    const bundled = await bundledFolders(root, entry, target)
    for (const folder of [...bundled, ...also.map((each) => join(root, 'node_modules', each))]) {
      const found = packages.get(folder) ?? (await describe(folder))
      packages.set(folder, found)
      found.products.push(name)
    }
  }
  const sorted = [...packages.values()].sort((one, other) =>
    titleOf(one) < titleOf(other) ? -1 : 1,
  )
  const sections = await Promise.all(sorted.map(sectionOf))
  return [HEAD, ...sections].join(`\n${'-'.repeat(80)}\n\n`)
}

/** Returns the folders of the packages that the bundle of an entry has files of. */
async function bundledFolders(
  root: string,
  entry: string,
  target: 'bun' | 'browser',
): Promise<Set<string>> {
  const { metafile } = await Bun.build({
    entrypoints: [join(root, entry)],
    target,
    format: 'esm',
    metafile: true,
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const folders = Object.keys(metafile?.inputs ?? {}).flatMap((path) => {
    const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? []
    return folder === undefined ? [] : [folder.replace(/^.*?(?=node_modules\/)/, `${root}/`)]
  })
  return new Set(folders)
}

async function describe(folder: string): Promise<Package> {
  const about = await Bun.file(join(folder, 'package.json')).json()
  const { name, version, license, repository, homepage } = about
  const source = repository?.url ?? repository ?? homepage
  if (typeof license !== 'string') throw new Error(`${name} does not name its license`)
  if (typeof source !== 'string') throw new Error(`${name} does not name its source`)
  return { name, version, license, source, folder, products: [] }
}

const titleOf = ({ name, version }: Package) => `${name} ${version}`

async function sectionOf(each: Package): Promise<string> {
  const { license, source, products } = each
  const about = `${titleOf(each)} (${license})\n${source}\nin ${products.join(', ')}\n`
  const texts = await licensesIn(each.folder)
  return [about, ...texts.map((text) => `${text.replaceAll('\r', '').trim()}\n`)].join('\n')
}

/** Returns the texts of the license files of a package, or that of its README. */
async function licensesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).sort()
  const read = (name: string) => readFile(join(folder, name), 'utf8')
  const files = names.filter((name) => /^(licen[cs]e|notice|copying)/i.test(name))
  if (files.length > 0) return await Promise.all(files.map(read))
  const readme = names.find((name) => /^readme/i.test(name))
  const [, text] =
    /^#*\s*licen[cs]e\n(?:[-=]+\n)?([^#]+)/im.exec(readme ? await read(readme) : '') ?? []
  return text === undefined ? [] : [text]
}

/** Writes the file, or with `--check` fails unless it is what would be written. */
async function main(): Promise<void> {
  const root = join(import.meta.dir, '..')
  const [file, text] = [join(root, NOTICES), await noticesOf(root)]
  if (!process.argv.includes('--check')) return await writeFile(file, text)
  if ((await readFile(file, 'utf8')) !== text)
    throw new Error(`${NOTICES} does not fit the installed packages: run "bun scripts/notices.ts"`)
}

if (import.meta.main) await main().catch(fail)
