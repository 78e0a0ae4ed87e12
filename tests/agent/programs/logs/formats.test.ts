import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { FORMATS } from '#agent/programs/logs/formats.ts'
import { LOG_SOURCES } from '#shared/logs/site-logs.ts'
import { forAll } from '#tests/support/for-all.ts'

const at = (text: string) => Date.parse(text)

test.each([
  ['UTC', '2026-07-01T09:30:00Z'],
  ['Europe/Berlin', '2026-07-01T07:30:00Z'],
  ['America/New_York', '2026-07-01T13:30:00Z'],
])('reads the time of an error of PHP in %s', (zone, time) => {
  const { at: found } = FORMATS.php.parse(`[01-Jul-2026 09:30:00 ${zone}] PHP Notice:  a`)

  expect(found).toBe(at(time))
})

test.each([
  ['PHP Fatal error:  Uncaught Error: x', 'fatal'],
  ['PHP Parse error:  syntax error', 'fatal'],
  ['PHP Recoverable fatal error:  x', 'fatal'],
  ['PHP Warning:  x', 'warning'],
  ['PHP Deprecated:  x', 'info'],
  ['PHP Notice:  a Fatal error: in a text', 'info'],
  ['WordPress database error Table x', 'error'],
  ['anything else', 'info'],
] as const)('%s is of the level %s', (text, level) => {
  expect(FORMATS.php.parse(`[01-Jan-2026 09:30:00 UTC] ${text}`)).toEqual({
    ...{ at: at('2026-01-01T09:30:00Z'), level, status: null, text },
  })
})

test('reads a request whose address has quotes and brackets', () => {
  const line =
    '2001:db8::7 - anna [01/Jan/2026:10:30:00 +0130] "GET /a\\"] [01/Jan/2020:00:00:00 +0000] HTTP/1.1" 404 7 "-" "-"'

  expect(FORMATS.access.parse(line)).toEqual({
    at: at('2026-01-01T09:00:00Z'),
    level: 'warning',
    status: 404,
    text: '2001:db8::7 - anna "GET /a\\"] [01/Jan/2020:00:00:00 +0000] HTTP/1.1" 404 7 "-" "-"',
  })
})

test('reads an error of nginx without the numbers of its processes', () => {
  const { level, text } = FORMATS.error.parse(
    '2026/01/01 09:30:00 [warn] 7#8: *9 an upstream response is buffered',
  )

  expect([level, text]).toEqual(['warning', 'an upstream response is buffered'])
})

test('reads lines of the runner and of the recorder of jobs, and of the mail queue', () => {
  const line = `2026-01-01T09:30:00.000Z ${'a'.repeat(32)} WordPress database error: a`
  const run = { at: 1_767_259_800_000, seconds: 1, status: 255, output: 'no room\n' }
  const event = { at: '2026-01-01T09:30:00.000Z', level: 'warning', text: 'deferred' }

  const time = at('2026-01-01T09:30:00Z')
  expect(FORMATS.cron.parse(line)).toEqual({
    ...{ at: time, level: 'error', status: null, text: 'WordPress database error: a' },
    whole: '2026-01-01T09:30:00.000Z WordPress database error: a',
  })
  expect(FORMATS.cron.parse(JSON.stringify(run))).toEqual({
    ...{ at: time, level: 'error', status: null, text: 'exit status 255\nno room' },
  })
  expect(FORMATS.mail.parse(JSON.stringify(event))).toEqual({
    ...{ at: time, level: 'warning', status: null, text: 'deferred' },
  })
})

test.each([...LOG_SOURCES])('takes any line of %s', (source) => {
  forAll(fc.string({ unit: 'binary' }), (line) => {
    expect(typeof FORMATS[source].parse(line).text).toBe('string')
  })
})
