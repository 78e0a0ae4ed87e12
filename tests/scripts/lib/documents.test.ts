import { expect, test } from 'bun:test'
import { brokenLinks, missingPaths } from '#scripts/lib/citations.ts'
import { readDocuments, readSources } from '#scripts/lib/documents.ts'
import { COMMANDS } from '#shared/commands.ts'
import manifest from '../../../package.json'

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
