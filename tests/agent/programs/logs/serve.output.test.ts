import { expect, test } from 'bun:test'
import { appendFileSync } from 'node:fs'
import { outputsOf } from '#agent/programs/logs/serve.ts'
import { logFolder, requestFor, writeLog } from '#tests/support/agent/logs.ts'

const run = (digit: string) => digit.repeat(32)
const lineOf = (minute: number, digit: string, text: string, sign = ' ') =>
  `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z ${run(digit)}${sign}${text}\n`

const outputs = (path: string, runs: string[], minute = 0, chars = 100) => {
  const since = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
  const wanted = { runs: runs.map(run), chars, since }
  return outputsOf(requestFor({ what: 'output', source: 'cron', paths: [path], ...wanted }))
}

test('gives each run what it printed, through rotated files and between the lines of others', async () => {
  const path = `${logFolder()}/jobs.log`
  writeLog(`${path}.2.gz`, lineOf(1, 'a', 'one') + lineOf(1, 'b', 'of b'), 1)
  writeLog(`${path}.1`, lineOf(2, 'a', 'password=two') + lineOf(2, 'c', 'of nobody'), 2)
  writeLog(path, `not a line\n${lineOf(3, 'a', 'thr', ' ')}${lineOf(3, 'a', 'ee', '+')}`, 3)

  expect(await outputs(path, ['a', 'b', 'd'])).toEqual({
    [run('a')]: 'one\npassword=two\nthree',
    [run('b')]: 'of b',
    [run('d')]: '',
  })
})

test('keeps the end of each, and reads nothing that is older than the first run', async () => {
  const path = `${logFolder()}/jobs.log`
  writeLog(`${path}.1`, lineOf(1, 'a', 'older'), 1)
  writeLog(path, lineOf(5, 'a', 'x'.repeat(500)) + lineOf(5, 'a', 'the end'), 5)

  expect(await outputs(path, ['a'], 3, 20)).toEqual({ [run('a')]: 'xxxxxxxxxxx\nthe end' })
  expect(await outputs(path, ['a'], 3, 2000)).toEqual({
    [run('a')]: `${'x'.repeat(500)}\nthe end`,
  })
})

test('takes any content of a log that belongs to a site', async () => {
  const path = `${logFolder()}/jobs.log`
  writeLog(path, `${'\0'.repeat(3_000_000)}\n${lineOf(1, 'a', 'caf')}`, 1)
  appendFileSync(path, Buffer.from([0xff, 10]))

  expect(await outputs(path, ['a'])).toEqual({ [run('a')]: 'caf' })
  expect(await outputs(`${path}.missing`, ['a'])).toEqual({ [run('a')]: '' })
})
