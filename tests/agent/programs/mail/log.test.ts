import { expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { MAX_MAIL_LOG, MailLog } from '#agent/programs/mail/log.ts'
import { logFolder } from '#tests/support/agent/logs.ts'
import { ClockedQueue } from '#tests/support/mail/clocked-queue.ts'

test('keeps two files of a limited size', () => {
  const path = `${logFolder()}/shop.log`
  const log = new MailLog(path, () => 0)

  for (let count = 0; count < 6000; count += 1) log.add('info', `${count} ${'x'.repeat(2000)}`)

  expect(statSync(path).size).toBeLessThanOrEqual(MAX_MAIL_LOG)
  expect(statSync(`${path}.1`).size).toBeLessThanOrEqual(MAX_MAIL_LOG)
  expect(existsSync(`${path}.2`)).toBe(false)
  const last = readFileSync(path, 'utf8').trim().split('\n').at(-1) ?? ''
  expect(JSON.parse(last)).toEqual({
    at: '1970-01-01T00:00:00.000Z',
    level: 'info',
    text: `5999 ${'x'.repeat(995)}`,
  })
})

test('a log that cannot be written stops no mail', () => {
  expect(() => new MailLog('/nowhere/shop.log').add('info', 'a')).not.toThrow()
})

test('says why a message was not sent', async () => {
  const queue = new ClockedQueue(1)
  await queue.put('Hello')
  await queue.work()
  await queue.pass(7 * 24 * 3_600_000)

  const lines = readFileSync(queue.place.places.logOf('shop'), 'utf8').trim().split('\n')
  const { level, text } = JSON.parse(lines.at(-1) ?? '')
  expect([level, text]).toEqual([
    'error',
    expect.stringMatching(/^[0-9a-f]{24} given up after \d+ hours: /),
  ])
})
