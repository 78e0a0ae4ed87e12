import { expect, test } from 'bun:test'
import { ROUTES } from '#dashboard/routes.ts'
import { OPERATION_NAMES, OPERATION_TYPES, retryRightOf } from '#shared/operation-types/index.ts'

const DOCUMENT = '.github/docs/rights.md'
const ORDER = ['operate', 'admin', 'session']

/** The rows of the document, of both tables. */
const text = await Bun.file(DOCUMENT).text()
const rows = text.split('\n').filter((line) => line.startsWith('| `'))

const rowOf = ([name, ...rights]: readonly string[]) => `| \`${name}\` | ${rights.join(' | ')} |`

test('the document has the right of every call that needs more than to read', () => {
  const calls = ROUTES.filter(({ right }) => ORDER.includes(right))
    .map(({ at, right }) => [at, right] as const)
    .sort(([one, a], [other, b]) => ORDER.indexOf(a) - ORDER.indexOf(b) || one.localeCompare(other))

  expect(rows.filter((row) => row.includes('/api/'))).toEqual(calls.map(rowOf))
})

test('the document has the rights to start and to retry each type of operation', () => {
  const types = OPERATION_NAMES.map((type) => [
    type,
    OPERATION_TYPES[type].right,
    retryRightOf(type),
  ]).sort()

  expect(rows.filter((row) => !row.includes('/api/'))).toEqual(types.map(rowOf))
})
