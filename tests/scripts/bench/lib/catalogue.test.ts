import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { BENCHMARKS } from '#scripts/bench/lib/catalogue.ts'
import { withTable } from '#scripts/bench/lib/results.ts'

const ROOT = new URL('../../../../', import.meta.url).pathname

test('lists each program of scripts/bench once', () => {
  const programs = readdirSync(`${ROOT}scripts/bench`).filter((name) => name.endsWith('.ts'))
  const listed = BENCHMARKS.map(({ name }) => `${name}.ts`)
  expect(listed.toSorted()).toEqual(programs.toSorted())
})

test('is the source of the table in the document', () => {
  const document = readFileSync(`${ROOT}.github/docs/benchmarks.md`, 'utf8')
  expect(withTable(document, BENCHMARKS, [])).toBe(document)
})
