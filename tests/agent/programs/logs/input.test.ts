import { expect, test } from 'bun:test'
import { searchInput } from '#agent/programs/logs/input.ts'
import { requestFor } from '#tests/support/agent/logs.ts'

const START = 1_767_259_800_000

/** The record of the runs of jobs: each has its own time. */
const record = (count: number, text = '') =>
  Array.from({ length: count }, (_, at) =>
    JSON.stringify({ at: START + at, seconds: 1, status: 0, output: `line ${at}${text}` }),
  ).join('\n')

function pagesOf(text: string, limit: number) {
  const all: string[] = []
  let before: string | null | undefined
  while (before !== null) {
    const request = requestFor({ source: 'cron', paths: [], limit, ...(before && { before }) })
    const page = searchInput(Buffer.from(text), request)
    expect(JSON.stringify(page).length).toBeLessThan(1 << 20)
    all.push(
      ...page.lines.map((line) => line.text.replace('exit status 0\n', '').slice(0, 20).trim()),
    )
    before = page.next
  }
  return all
}

test('gives a log that is no file page by page, newest first', () => {
  const expected = Array.from({ length: 30 }, (_, at) => `line ${29 - at}`)

  for (const limit of [1, 7, 30, 500]) expect(pagesOf(record(30), limit)).toEqual(expected)
})

test('ends a page before it is too large for an answer', () => {
  const long = ` ${' '.repeat(20)}${'x'.repeat(7000)}`

  expect(pagesOf(record(300, long), 500)).toHaveLength(300)
})

test('takes no log, and one with other lines', () => {
  expect(pagesOf('', 5)).toEqual([])
  expect(pagesOf('{\nnull\n[]', 5)).toEqual(['[]', 'null', '{'])
})
