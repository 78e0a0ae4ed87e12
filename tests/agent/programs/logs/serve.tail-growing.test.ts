import { expect, test } from 'bun:test'
import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { FORMATS } from '#agent/programs/logs/formats.ts'
import { GrowingLog } from '#agent/programs/logs/serve.ts'
import { logFolder } from '#tests/support/agent/logs.ts'

const look = (log: GrowingLog) => log.look()?.bytes.toString()

test('returns complete new lines, also after the log was emptied or replaced', () => {
  const path = `${logFolder()}/access.log`
  writeFileSync(path, 'old\n')
  const log = new GrowingLog(path, undefined)

  expect(look(log)).toBeUndefined()
  appendFileSync(path, 'a\nb')
  expect(look(log)).toBe('a\n')
  appendFileSync(path, 'c\n')
  expect(look(log)).toBe('bc\n')
  truncateSync(path)
  appendFileSync(path, 'd\n')
  expect(look(log)).toBe('d\n')
  renameSync(path, `${path}.1`)
  writeFileSync(path, 'e\n')
  expect(look(log)).toBe('e\n')
  log.close()
})

test('waits for a log that does not exist yet, and shows it from its beginning', () => {
  const path = `${logFolder()}/php-error.log`
  const log = new GrowingLog(path, undefined)

  expect(look(log)).toBeUndefined()
  writeFileSync(path, 'first\n')
  expect(look(log)).toBe('first\n')
  log.close()
})

test('gives an entry of several lines when the next one begins, or nothing follows', () => {
  const path = `${logFolder()}/php-error.log`
  const log = new GrowingLog(path, FORMATS.php.begins)
  const head = '[01-Jan-2026 09:30:00 UTC] PHP Fatal error:  x\n'

  writeFileSync(path, `${head}#0 a\n`)
  expect(look(log)).toBeUndefined()
  appendFileSync(path, `#1 b\n${head}`)
  expect(look(log)).toBe(`${head}#0 a\n#1 b\n`)
  expect(look(log)).toBe(head)
  expect(look(log)).toBeUndefined()
  log.close()
})
