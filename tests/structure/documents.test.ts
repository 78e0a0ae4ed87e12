import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, normalize, relative } from 'node:path'
import { type Document, readDocuments, readSources } from '#scripts/lib/sources.ts'
import { COMMANDS } from '#shared/commands.ts'
import {
  OPERATION_NAMES,
  OPERATION_TYPES,
  SITE_ACTIONS,
  type SiteActionType,
} from '#shared/operation-types.ts'
import manifest from '../../package.json'

const documents = await readDocuments('.')
const textOf = (path: string) => documents.find((document) => document.path === path)?.text ?? ''
const each = documents.map((document) => [document.path, document] as const)

test.each(each)('%s links to files and headings that exist', (_, document) => {
  expect(brokenLinks('.', document, documents)).toEqual([])
})

test.each(each)('%s names files that exist', async (_, document) => {
  expect(await missingPaths('.', document)).toEqual([])
})

test('finds a missing file, a missing heading and a missing path', async () => {
  const path = '.github/docs/x.md'
  const text =
    '[a](none.md) [b](api.md#none) [c](api.md#plans) `bun scripts/none.ts` `tests/system/*.none.ts`'

  expect(brokenLinks('.', { path, text }, documents)).toEqual(['none.md', 'api.md#none'])
  expect(await missingPaths('.', { path, text })).toEqual([
    'scripts/none.ts',
    'tests/system/*.none.ts',
  ])
})

const TOP = '(?:agent|dashboard|shared|scripts|tests|\\.github|\\.ci)'
const PATH = new RegExp(`(?<![\\w./-])${TOP}/[\\w./*-]*[\\w*/]`, 'g')

/** Paths of the repository that a document names in code; `*` stands for a part of a name. */
function pathsIn({ text }: Document): string[] {
  const code = [...text.matchAll(/^```[\s\S]*?^```$|`[^`\n]+`/gm)].map(([found]) => found)
  const paths = code.flatMap((piece) => [...piece.matchAll(PATH)].map(([path]) => path))
  return [...new Set(paths)].sort()
}

/** Returns the paths that do not exist in the repository. */
async function missingPaths(root: string, document: Document): Promise<string[]> {
  const paths = pathsIn(document)
  const exists = await Promise.all(paths.map((path) => names(root, path)))
  return paths.filter((_, at) => !exists[at])
}

async function names(root: string, path: string): Promise<boolean> {
  if (!path.includes('*')) return existsSync(join(root, path))
  for await (const _ of new Bun.Glob(path).scan({ cwd: root, dot: true, onlyFiles: false }))
    return true
  return false
}

/** Returns the broken relative links and pictures of a document, anchors of headings included. */
function brokenLinks(root: string, from: Document, all: readonly Document[]): string[] {
  const links = [...from.text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)]
  const targets = links.map(([, link, attribute]) => link ?? attribute ?? '')
  return targets.filter((target) => !/^https?:/.test(target) && !leads(root, from, all, target))
}

function leads(root: string, from: Document, all: readonly Document[], target: string): boolean {
  const [file = '', heading] = target.split('#')
  const path = file === '' ? from.path : normalize(join(dirname(from.path), file))
  if (!existsSync(join(root, path))) return false
  if (heading === undefined) return true
  return headingsOf(all.find((document) => document.path === path)?.text ?? '').includes(heading)
}

/** Returns the anchors of all headings, as GitHub makes them. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('the README has at most 150 lines', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(151)
})

test('the changelog names every command', () => {
  const text = textOf('CHANGELOG.md')

  expect(Object.keys(COMMANDS).filter((name) => !text.includes(`\`${name}\``))).toEqual([])
})

test('the README names every document', () => {
  const named = textOf('README.md')
  const paths = documents.map(({ path }) => path)

  expect(paths.filter((path) => path !== 'README.md' && !named.includes(`(${path})`))).toEqual([])
})

test('the index of the documents names every document', () => {
  const named = textOf('.github/docs/README.md')
  const links = documents
    .map(({ path }) => relative('.github/docs', path))
    .filter((path) => !/^(?:\.\.\/\.\.\/)?README\.md$/.test(path))

  expect(links.filter((path) => !named.includes(`(${path})`))).toEqual([])
})

test('the table of packages has each dependency', () => {
  const [, table = ''] = textOf('README.md').split('## Packages')
  const first = table.split('\n').map((row) => row.split('|')[1] ?? '')
  const named = first.flatMap((cell) =>
    cell
      .replace(/\*[a-z]+:\*/, '')
      .split(',')
      .map((name) => name.trim()),
  )
  const { dependencies, devDependencies } = manifest

  expect(
    named.filter((name) => /^[@a-z][a-z0-9/._-]*$/.test(name) && name !== 'package').sort(),
  ).toEqual(Object.keys({ ...dependencies, ...devDependencies }).sort())
})

test('comments cite only documents that are in the repository', async () => {
  const known = new Set(documents.map(({ path }) => path.split('/').at(-1)))
  const cited = (await readSources('.')).flatMap(({ path, text }) =>
    [...text.matchAll(/^\s*(?:\/\/|\*|\/\*\*).*?\b([\w-]+\.md)\b/gm)].map(([, name = '']) => ({
      path,
      name,
    })),
  )

  expect(cited.filter(({ name }) => !known.has(name))).toEqual([])
})

/** Phrases that readers had to decode. */
const BANNED = [
  /\bunder way\b/i,
  /\bof before\b/i,
  /\bthe version before\b/i,
  /\basking for the front page\b/i,
  /\bmade up and\b/i,
  /\bheard of\b/i,
  /\b(?:is|are|was|were|be|been|while|those) away\b/i,
  /\b(?:is|are|was|were|be|been) told\b(?! apart)/i,
  /\bgravest\b/i,
  /\bkept nowhere\b/i,
  /\bis root's\b/i,
  /\bcertifying\b/i,
  /\bnothing on record\b/i,
  /\bmakes? room for the\b/i,
]
const LIST = 'tests/structure/documents.test.ts'

test('no document and no source file has a phrase that readers had to decode', async () => {
  const all = [...documents, ...(await readSources('.'))].filter(({ path }) => path !== LIST)
  const lines = all.flatMap(({ path, text }) =>
    text.split('\n').map((line, index) => `${path}:${index + 1} ${line.trim()}`),
  )

  expect(lines.filter((line) => BANNED.some((phrase) => phrase.test(line)))).toEqual([])
})

const HEADING = "## What an agent's answer is checked against"

const text = await Bun.file(join(import.meta.dir, '../../.github/SECURITY.md')).text()
const [, section = ''] = text.split(HEADING)
const rows = new Map(
  section.split('\n').flatMap((line) => {
    const [, name = '', changes = '', checked = ''] = line.split(/ ?\| ?/)
    const type = /^`([a-z]+\.[a-z-]+)`$/.exec(name)?.[1]
    return type ? [[type, { changes, checked }] as const] : []
  }),
)

test('the table of answers in SECURITY.md has every type of operation once, in order', () => {
  expect([...rows.keys()]).toEqual(OPERATION_NAMES.toSorted())
})

test('it names every field that a result confirms, and each row says what it changes', () => {
  const fields: Readonly<Record<string, string>> = {
    'backup.repository': 'repository',
    'proof.backup': 'backup',
    'settings.domain': 'domain',
    'basic_auth.user': 'user',
    former: 'former',
  }
  const missing = OPERATION_NAMES.flatMap((type) => {
    const { changes = '', checked = '' } = rows.get(type) ?? {}
    const names = Object.keys(OPERATION_TYPES[type].confirms).map((field) => fields[field] ?? field)
    const left = names.filter((name) => !new RegExp(`\\b${name}\\b`).test(checked))
    return changes === '' || left.length > 0 ? [{ type, left }] : []
  })
  expect(missing).toEqual([])
})

const [, recipes = ''] = (await readFile('.github/CONTRIBUTING.md', 'utf8')).split('## Recipes')
const isProgram = (path: string) => /^(agent|dashboard|shared)\//.test(path)
const program = (await readSources('.')).filter(({ path }) => isProgram(path))

/** The files of the three programs in the tables of a recipe. */
function filesOf(recipe: string): string[] {
  const [, section = ''] = recipes.split(`### ${recipe}\n`)
  const [own = ''] = section.split('\n## ')[0]?.split('\n### ') ?? []
  const paths = [...own.matchAll(/^\| `([^`]+)` \|/gm)].map(([, path = '']) => path)
  return paths.filter(isProgram).sort()
}

/** The files of the three programs that name something. */
const naming = (name: RegExp) =>
  program.filter(({ text }) => name.test(text)).map(({ path }) => path)

test('the recipe of a command has every file that names its example', () => {
  expect(naming(/cache\.purge|cachePurge/)).toEqual(filesOf('A new command'))
})

test('a command that changes no records has the files of the recipe but for its rules', () => {
  const listed = filesOf('A new command').filter((path) => !path.startsWith('dashboard/'))
  const named = (path: string) => anyRoom(path.replace('cache.purge', 'wp.cron-run'))

  expect(naming(/wp\.cron-run|wpCronRun/).map(named)).toEqual(listed.map(named))
  expect(listed).toHaveLength(5)
})

/** A path without the room of its feature, which each command has its own of. */
const anyRoom = (path: string) =>
  path.replace(/^((?:agent|dashboard)\/features|shared)\/[a-z-]+\//, '$1/*/')

/** The files that start a command for a reason of their own: a new command has none. */
const STARTING: Partial<Record<SiteActionType, readonly string[]>> = {
  'site.suspend': [
    'dashboard/features/recovery/lost/complete-recoveries.ts',
    'dashboard/features/recovery/lost/queries.ts',
  ],
}

test.each(SITE_ACTIONS)('the recipe of a command has every file that names %s', (type) => {
  const listed = filesOf('A new command').map((path) => anyRoom(path.replace('cache.purge', type)))
  const name = type.replace(/[.-](\w)/g, (_, letter: string) => letter.toUpperCase())
  const found = naming(new RegExp(`${RegExp.escape(type)}(?!\\w)|\\b${name}`))

  const others = STARTING[type] ?? []
  expect(found.filter((path) => !listed.includes(anyRoom(path)) && !others.includes(path))).toEqual(
    [],
  )
})

test('the recipe of a reading has every file that names its example', () => {
  expect(naming(/fatalErrors/)).toEqual(filesOf('A new reading'))
})

test('the recipe of a route has every file that names its example', () => {
  const listed = filesOf('A new route')

  expect(naming(/\/ignored/).filter((path) => !listed.includes(path))).toEqual([])
})

test('the recipe of a setting has every file that names its example', () => {
  expect(naming(/unattended_updates\b/)).toEqual(filesOf('A new setting of the dashboard'))
})

test('the recipe of a setting of a site has every file that names its example', () => {
  expect(naming(/\bhsts\b/)).toEqual(filesOf('A new setting of a site'))
})
