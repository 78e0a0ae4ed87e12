import { afterEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { ClockedQueue, HOUR } from '#tests/support/mail/clocked-queue.ts'
import { type Answers, OddRelay } from '#tests/support/mail/odd-relay.ts'

const TIMES = { connect_ms: 30_000, answer_ms: 30_000, accept_ms: 30_000 }
let relay: OddRelay

afterEach(() => relay.stop())

async function queueWith(answers: Answers): Promise<ClockedQueue> {
  relay = await OddRelay.start(answers)
  return new ClockedQueue(relay.port, { times: TIMES })
}

test('a message that is deferred for 96 hours is given up with the last message of the relay', async () => {
  const queue = await queueWith({ RCPT: '451 4.2.2 Mailbox full' })
  await queue.put('first', { recipients: ['ann@example.org', 'ben@example.org'] })
  await queue.work()
  queue.now += 95 * HOUR
  expect(await queue.work()).toMatchObject({ queued: 1, failed_day: 0 })

  queue.now += 3 * HOUR
  const answer = 'given up after 96 hours: 451 4.2.2 Mailbox full'
  expect(await queue.work()).toMatchObject({
    ...{ queued: 0, oldest_at: null, sent_day: 0, failed_day: 2 },
    failures: [
      { recipient: 'ann@example.org', answer },
      { recipient: 'ben@example.org', answer },
    ],
  })
  expect(await queue.place.emptied()).toEqual([])
})

test('after 96 hours without the relay only messages of that age are given up', async () => {
  const queue = await queueWith({ greeting: '554 5.3.2 Away close' })
  await queue.put('old')
  queue.now += 90 * HOUR
  await queue.put('new')
  const status = await queue.pass(7 * HOUR)
  expect(status).toMatchObject({
    ...{ queued: 1, failed_day: 1, problem: { answer: '554 5.3.2 Away' } },
    failures: [{ answer: 'given up after 96 hours: 554 5.3.2 Away' }],
  })

  relay.answers = {}
  expect(await queue.pass(HOUR)).toMatchObject({ queued: 0, sent_day: 1, problem: null })
  expect(relay.taken).toEqual(['new'])
})

test('a server that was off for longer sends its queue, also when the relay is unreachable at first', async () => {
  const queue = await queueWith({ greeting: ['421 4.3.2 Not yet close', '220 odd'] })
  await queue.put('old', { age_ms: 200 * HOUR })
  await queue.open()
  expect(await queue.work()).toMatchObject({ queued: 1, failed_day: 0 })
  expect(await queue.pass(HOUR)).toMatchObject({ queued: 0, sent_day: 1, failed_day: 0 })
  expect(relay.taken).toEqual(['old'])
})

test('mail that is turned off is given up after 96 hours with the reason', async () => {
  const queue = await queueWith({})
  await queue.put('first')
  queue.place.site({ enabled: false })
  queue.now += 97 * HOUR
  expect(await queue.pass(HOUR)).toMatchObject({
    queued: 0,
    failures: [{ answer: 'given up after 96 hours: mail is turned off for this site' }],
  })
  expect(relay.connections).toBe(0)
})

test.each([-24, -24 * 365])('a clock change of %d hours delays no message', async (hours) => {
  const queue = await queueWith({
    greeting: ['421 4.3.2 Full close', '220 odd'],
    MAIL: ['451 4.7.1 Later', '250 ok'],
  })
  await queue.put('first')
  await queue.put('second')
  await queue.work()
  queue.now += hours * HOUR
  expect(await queue.pass(HOUR)).toMatchObject({ queued: 0, failed_day: 0 })
  expect(relay.taken.sort()).toEqual(['first', 'second'])
})

test('a clock change of a year gives up no message that the relay accepts', async () => {
  const queue = await queueWith({ greeting: ['421 4.3.2 Full close', '220 odd'] })
  await queue.put('first')
  await queue.put('second')
  await queue.work()
  queue.now += 365 * 24 * HOUR
  expect(await queue.pass(HOUR)).toMatchObject({ queued: 0, failed_day: 0 })
  expect(relay.taken).toEqual(['first', 'second'])
})

test('new settings retry waiting messages immediately', async () => {
  const queue = await queueWith({ MAIL: ['451 4.7.1 Later', '250 ok'] })
  await queue.put('first')
  await queue.work()
  const opened = await queue.open()
  opened.retryNow()
  expect(await queue.work()).toMatchObject({ queued: 0, sent_day: 1 })
})

test('a message whose file is damaged is recorded as given up', async () => {
  const queue = await queueWith({})
  await queue.put('first')
  await queue.put('second')
  const [name = ''] = queue.place.files().filter((one) => one.endsWith('.json'))
  writeFileSync(`${queue.place.places.queueOf('shop')}/${name}`, '{')
  await queue.open()
  const id = name.replace('.json', '')
  expect(await queue.work()).toMatchObject({
    ...{ queued: 0, sent_day: 1, failed_day: 1 },
    failures: [
      {
        recipient: `unknown (message ${id})`,
        answer: 'given up: its file in the queue is damaged',
      },
    ],
  })
  expect(relay.taken).toHaveLength(1)
})
