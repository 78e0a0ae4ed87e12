import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { readSources } from '#scripts/lib/documents.ts'
import { SITE_ACTIONS } from '#shared/operation-types/index.ts'

const [, recipes = ''] = (await readFile('.github/CONTRIBUTING.md', 'utf8')).split('## Recipes')
const program = (await readSources('.')).filter(({ path }) =>
  /^(agent|dashboard|shared)\//.test(path),
)

/** The files in the table of a recipe. */
function filesOf(recipe: string): string[] {
  const [, section = ''] = recipes.split(`### ${recipe}\n`)
  const [own = ''] = section.split('\n## ')[0]?.split('\n### ') ?? []
  return [...own.matchAll(/^\| `([^`]+)` \|/gm)].map(([, path = '']) => path).sort()
}

/** The files of the three programs that name something. */
const naming = (name: RegExp) =>
  program.filter(({ text }) => name.test(text)).map(({ path }) => path)

test('the recipe of a command has every file that names its example', () => {
  expect(naming(/cache\.purge|cachePurge/)).toEqual(filesOf('A new command'))
})

test.each(SITE_ACTIONS)('the recipe of a command has every file that names %s', (type) => {
  const listed = filesOf('A new command').map((path) => path.replace('cache.purge', type))
  const name = type.replace(/[.-](\w)/g, (_, letter: string) => letter.toUpperCase())
  const found = naming(new RegExp(`${RegExp.escape(type)}(?!\\w)|\\b${name}`))

  expect(found.filter((path) => !listed.includes(path))).toEqual([])
})

test('the recipe of a route has every file that names its example', () => {
  const listed = filesOf('A new route')

  expect(naming(/\/ignored/).filter((path) => !listed.includes(path))).toEqual([])
})

test('the recipe of a setting has every file that names its example', () => {
  expect(naming(/unattended_updates\b/)).toEqual(filesOf('A new setting'))
})
