import { expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { rotateLogs } from '#agent/programs/logs/serve.ts'
import { logFolder } from '#tests/support/agent/logs.ts'

const DAY_MS = 24 * 3_600_000
const after = (days: number) => Date.now() + days * DAY_MS
const textOf = (path: string) => gunzipSync(readFileSync(path)).toString()

test('a log is rotated after a week, and compressed at the next rotation', async () => {
  const folder = logFolder()
  const path = `${folder}/php-error.log`
  writeFileSync(path, 'first\n')

  await rotateLogs(folder, after(6))
  const early = readdirSync(folder)
  await rotateLogs(folder, after(8))
  const first = readdirSync(folder)
  await rotateLogs(folder, after(8))
  writeFileSync(path, 'second\n')
  await rotateLogs(folder, after(8))

  expect([early, first]).toEqual([['php-error.log'], ['php-error.log.1']])
  expect(readdirSync(folder).sort()).toEqual(['php-error.log.1', 'php-error.log.2.gz'])
  expect([readFileSync(`${path}.1`, 'utf8'), textOf(`${path}.2.gz`)]).toEqual([
    'second\n',
    'first\n',
  ])
})

test('eight rotated files are kept', async () => {
  const folder = logFolder()
  const path = `${folder}/shop.log`

  for (let at = 1; at <= 11; at += 1) {
    writeFileSync(path, `${at}\n`)
    await rotateLogs(folder, after(8))
  }

  const kept = ['1', ...['2', '3', '4', '5', '6', '7', '8'].map((at) => `${at}.gz`)]
  expect(readdirSync(folder).sort()).toEqual(kept.map((at) => `shop.log.${at}`))
  expect(textOf(`${path}.8.gz`)).toBe('4\n')
})

test('a log with more than 50 MB on the disk is rotated at once, whatever its age', async () => {
  const folder = logFolder()
  writeFileSync(`${folder}/large.log`, Buffer.alloc(51 << 20, 'line\n'))

  await rotateLogs(folder, Date.now())

  expect(readdirSync(folder)).toEqual(['large.log.1'])
})

test('a file with holes is judged by its blocks, and never read', async () => {
  const folder = logFolder()
  const path = `${folder}/sparse.log`
  writeFileSync(path, 'line\n')
  truncateSync(path, 8 * 2 ** 40)

  await rotateLogs(folder, Date.now())
  const young = readdirSync(folder)
  await rotateLogs(folder, after(8))
  writeFileSync(path, 'line\n')
  await rotateLogs(folder, after(8))

  expect(young).toEqual(['sparse.log'])
  expect(readdirSync(folder).sort()).toEqual(['sparse.log.1', 'sparse.log.2'])
})

test('links, folders, empty logs and other files are left alone', async () => {
  const [folder, other] = [logFolder(), logFolder()]
  writeFileSync(`${other}/target`, 'kept\n')
  symlinkSync(`${other}/target`, `${folder}/link.log`)
  mkdirSync(`${folder}/folder.log`)
  writeFileSync(`${folder}/empty.log`, '')
  writeFileSync(`${folder}/notes.txt`, 'text\n')
  const before = readdirSync(folder).sort()

  await rotateLogs(folder, after(30))

  expect(readdirSync(folder).sort()).toEqual(before)
  expect(existsSync(`${other}/target`)).toBe(true)
})
