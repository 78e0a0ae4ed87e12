// tier: gate
import { expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { PositionGone, search } from '#agent/programs/logs/search.ts'
import { logFolder, requestFor, visitAt, writeLog } from '#tests/support/agent/logs.ts'

const visits = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => visitAt(from + at, `/page-${from + at}`)).join('')

function rotated(): string {
  const path = `${logFolder()}/access.log`
  writeLog(`${path}.2.gz`, visits(0, 10), 10)
  writeLog(`${path}.1.gz`, visits(10, 20), 20)
  writeLog(path, visits(20, 30), 30)
  return path
}

const pages = (lines: readonly { text: string }[]) =>
  lines.map(({ text }) => /page-(\d+)/.exec(text)?.[1])

async function readAll(request: Parameters<typeof requestFor>[0]) {
  const all: (string | undefined)[] = []
  let before: string | undefined
  for (let calls = 0; calls < 100; calls += 1) {
    const { lines, next } = await search(requestFor({ ...request, ...(before && { before }) }))
    all.push(...pages(lines))
    if (next === null) return all
    before = next
  }
  throw new Error('It has no end')
}

test('gives the newest line first, through rotated files, page by page', async () => {
  const path = rotated()
  const expected = Array.from({ length: 30 }, (_, at) => String(29 - at))

  for (const limit of [1, 3, 7, 10, 11, 30, 500])
    expect(await readAll({ paths: [path], limit })).toEqual(expected)
})

test('says what a line is, and how far it looked', async () => {
  const path = `${logFolder()}/access.log`
  writeLog(path, visitAt(61, '/x?token=abc&a=1', 503))

  expect(await search(requestFor({ paths: [path] }))).toEqual({
    lines: [
      {
        at: '2026-01-01T01:01:00.000Z',
        level: 'error',
        status: 503,
        text: '203.0.113.7 - - "GET /x?token=[masked]&a=1 HTTP/2.0" 503 5 "-" "-"',
        cut: false,
      },
    ],
    next: null,
    looked: { bytes: 91, files: 1, unread: 0, oldest_at: '2026-01-01T01:01:00.000Z' },
  })
})

test('finds text in upper and lower case, by level, and by time', async () => {
  const path = rotated()
  appendFileSync(path, visitAt(31, '/Gone', 404) + visitAt(32, '/broken', 500))

  const found = async (filter: object) =>
    (await search(requestFor({ paths: [path], ...filter }))).lines.map(
      ({ text }) => /GET (\S+)/.exec(text)?.[1],
    )

  expect(await found({ text: 'PAGE-7 ' })).toEqual(['/page-7'])
  expect(await found({ text: 'gone' })).toEqual(['/Gone'])
  expect(await found({ level: 'warning' })).toEqual(['/broken', '/Gone'])
  expect(await found({ level: 'error' })).toEqual(['/broken'])
  expect(await found({ since: '2026-01-01T00:09:00Z', until: '2026-01-01T00:11:00Z' })).toEqual([
    '/page-11',
    '/page-10',
    '/page-9',
  ])
})

test('does not find a secret by its text', async () => {
  const path = `${logFolder()}/access.log`
  writeLog(path, visitAt(0, '/?token=abcdef'))

  const of = async (text: string) => (await search(requestFor({ paths: [path], text }))).lines
  expect(await of('abcdef')).toEqual([])
  expect(await of('token=')).toHaveLength(1)
})

test('keeps its place when the log is rotated between two pages', async () => {
  const path = `${logFolder()}/access.log`
  writeLog(path, visits(0, 10), 10)
  const first = await search(requestFor({ paths: [path], limit: 4 }))

  writeLog(`${path}.1.gz`, visits(0, 10), 10)
  truncateSync(path)
  appendFileSync(path, visits(10, 12))
  const second = await search(
    requestFor({ paths: [path], limit: 4, ...(first.next && { before: first.next }) }),
  )

  expect(pages(first.lines)).toEqual(['9', '8', '7', '6'])
  expect(pages(second.lines)).toEqual(['5', '4', '3', '2'])
})

test('refuses a place whose file is gone', async () => {
  const path = rotated()

  expect(search(requestFor({ paths: [path], before: 'aaaaaaaaaaaaaaaa.7' }))).rejects.toThrow(
    PositionGone,
  )
})

test('cuts a long line, and says so', async () => {
  const path = `${logFolder()}/access.log`
  const long = visitAt(1, `/${'ä'.repeat(3_000_000)}`)
  writeLog(path, visitAt(0, '/page-0') + long + visitAt(2, '/page-2'))
  writeLog(`${path}.1.gz`, visitAt(0, '/page-1') + long)

  const { lines, next } = await search(requestFor({ paths: [path] }))

  expect(next).toBeNull()
  expect(lines.map(({ cut }) => cut)).toEqual([false, true, false, true, false])
  for (const { text } of lines) expect(text.length).toBeLessThan(8200)
})

test('ends a page before it is too large for an answer', async () => {
  const path = `${logFolder()}/access.log`
  const line = (number: number) => visitAt(number % 60, `/page-${number}/${'\u0001"'.repeat(3500)}`)
  writeLog(path, Array.from({ length: 100 }, (_, at) => line(at)).join(''))

  const { lines } = await search(requestFor({ paths: [path] }))
  const all = await readAll({ paths: [path] })

  expect(JSON.stringify(lines).length).toBeLessThan(1 << 20)
  expect(all).toEqual(Array.from({ length: 100 }, (_, at) => String(99 - at)))
})

test('takes an error with its stack trace as one entry', async () => {
  const path = `${logFolder()}/php-error.log`
  const error = (second: number, text: string) =>
    `[01-Jan-2026 09:30:0${second} Europe/Berlin] ${text}\n`
  const trace = 'PHP Fatal error:  Uncaught Error: x in /a.php:1\nStack trace:\n#0 {main}\n  thrown'
  writeLog(path, error(1, 'PHP Notice:  a') + error(2, trace) + error(3, 'PHP Warning:  b'))

  const { lines } = await search(requestFor({ source: 'php', paths: [path] }))
  const found = await search(requestFor({ source: 'php', paths: [path], text: '#0 {MAIN}' }))

  expect(lines.map(({ at, level, text }) => [at, level, text])).toEqual([
    ['2026-01-01T08:30:03.000Z', 'warning', 'PHP Warning:  b'],
    ['2026-01-01T08:30:02.000Z', 'fatal', trace],
    ['2026-01-01T08:30:01.000Z', 'info', 'PHP Notice:  a'],
  ])
  expect(found.lines.map(({ text }) => text)).toEqual([trace])
})

test('reads no link, no folder, no pipe, and no damaged file', async () => {
  const folder = logFolder()
  const path = `${folder}/access.log`
  writeFileSync(`${folder}/secret`, visitAt(0, '/secret'))
  symlinkSync(`${folder}/secret`, path)
  mkdirSync(`${path}.1`)
  execFileSync('mkfifo', [`${path}.2`])
  writeFileSync(`${path}.3.gz`, 'not compressed')
  writeLog(`${path}.4.gz`, visits(0, 2))

  const { lines, looked } = await search(requestFor({ paths: [path] }))

  expect(pages(lines)).toEqual(['1', '0'])
  expect(looked.unread).toBe(1)
})

test('shows bytes that are not text, and escapes that are for a terminal', async () => {
  const path = `${logFolder()}/error.log`
  const line = '2026/01/01 09:30:00 [crit] 1#1: *2 \u001b[2J\u202e'
  writeFileSync(path, Buffer.concat([Buffer.from(line), Buffer.from([0xff, 0xfe, 0, 10])]))

  const { lines } = await search(requestFor({ source: 'error', paths: [path] }))

  expect(lines.map(({ level, text }) => [level, text])).toEqual([
    ['fatal', '\\x1b[2J\\u{202e}��\\x00'],
  ])
})

test('stops when its time is over, reports how far it came, and continues there', async () => {
  const path = `${logFolder()}/access.log`
  writeLog(path, visits(0, 60).repeat(700))

  const { lines, next, looked } = await search(
    requestFor({ paths: [path], text: 'nothing', budget_ms: 1 }),
  )

  expect(lines).toEqual([])
  expect(looked.bytes).toBeGreaterThan(0)
  expect(looked.bytes).toBeLessThan(3_800_000)
  expect(next).toMatch(/^[0-9a-f]{16}\.\d+$/)
  const all = await readAll({ paths: [path], text: 'page-7 ', budget_ms: 1, limit: 500 })
  expect(all).toHaveLength(700)
})
