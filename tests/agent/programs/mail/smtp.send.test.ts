// tier: gate
import { afterEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Relay as RelaySetting } from '#agent/features/mail/setting.ts'
import { connect, send } from '#agent/programs/mail/smtp.ts'
import { ClockedQueue, HOUR } from '#tests/support/mail/clocked-queue.ts'
import { type Answers, OddRelay } from '#tests/support/mail/odd-relay.ts'
import { Relay } from '#tests/support/mail/relay.ts'

const PATIENT = { connect_ms: 30_000, answer_ms: 30_000, accept_ms: 30_000 }
let relay: OddRelay

afterEach(() => relay?.stop())

/** For relays that say nothing at all: one that is slow is none of them. */
const QUICK = { ...PATIENT, answer_ms: 100, accept_ms: 100 }
let times: typeof PATIENT

async function queueWith(answers: Answers): Promise<ClockedQueue> {
  relay = await OddRelay.start(answers)
  times = { ...(Object.values(answers).includes('hang') ? QUICK : PATIENT) }
  return new ClockedQueue(relay.port, { times })
}

describe('an answer of a relay to a message', () => {
  test.each(['MAIL', 'RCPT', 'DATA', 'text'])('with 4xx at %s is a retry', async (stage) => {
    const queue = await queueWith({ [stage]: ['451 4.7.1 Later', '250 ok'] })
    if (stage === 'DATA') relay.answers = { DATA: ['451 4.7.1 Later', '354 send the text'] }
    await queue.put('first')
    await queue.put('other')
    // The other one does not wait for it.
    expect(await queue.work()).toMatchObject({ queued: 1, sent_day: 1, problem: null })
    expect(relay.taken).toEqual(['other'])
    expect(await queue.pass(59_000)).toMatchObject({ queued: 1 })

    expect(await queue.pass(60_000)).toMatchObject({ queued: 0, sent_day: 2, failed_day: 0 })
    expect(relay.taken).toEqual(['other', 'first'])
  })

  test.each(['MAIL', 'RCPT', 'DATA', 'text'])(
    'with 5xx at %s is final, with its message',
    async (stage) => {
      const good = stage === 'DATA' ? '354 send the text' : '250 ok'
      const queue = await queueWith({ [stage]: ['554 5.7.1 Spam', good] })
      await queue.put('first')
      await queue.put('other')
      expect(await queue.work()).toMatchObject({
        ...{ queued: 0, sent_day: 1, failed_day: 1, problem: null },
        failures: [{ recipient: 'ann@example.org', answer: '554 5.7.1 Spam' }],
      })
      expect(relay.taken).toEqual(['other'])
      expect(await queue.place.emptied()).toEqual([])
    },
  )

  test.each(['MAIL', 'RCPT', 'DATA', 'text'])(
    'is final even when the relay closes the connection after 5xx at %s',
    async (stage) => {
      const good = stage === 'DATA' ? '354 send the text' : '250 ok'
      const queue = await queueWith({ [stage]: ['550 5.7.1 No close', good] })
      await queue.put('first')
      await queue.put('other')
      await queue.pass(5 * 60_000)
      expect(queue.place.status()).toMatchObject({
        ...{ queued: 0, sent_day: 1, failed_day: 1, problem: null },
        failures: [{ answer: '550 5.7.1 No' }],
      })
      expect(relay.taken).toEqual(['other'])
    },
  )
})

test('an answer of another kind is a retry, and no message is lost', async () => {
  const queue = await queueWith({ MAIL: ['310 What?', '250 ok'] })
  await queue.put('first')
  await queue.put('other')
  expect(await queue.work()).toMatchObject({ queued: 1, sent_day: 1, failed_day: 0 })
  expect(await queue.pass(HOUR)).toMatchObject({ queued: 0, sent_day: 2, failed_day: 0 })
  expect(relay.taken).toEqual(['other', 'first'])
})

test('a message that is refused before its text has ended does not disturb the next one', async () => {
  const early = '354 send the text\r\n552 5.3.4 Too large'
  const queue = await queueWith({ DATA: [early, '354 send the text'] })
  await queue.put('first', { words: 'Words\r\n'.repeat(1_000_000) })
  await queue.put('other')
  await queue.pass(HOUR)
  expect(queue.place.status()).toMatchObject({
    ...{ queued: 0, sent_day: 1, failed_day: 1 },
    failures: [{ answer: '552 5.3.4 Too large' }],
  })
  expect(relay.taken).toEqual(['other'])
})

test.each(['250-odd\r\n250 AUTH PLAIN', '250-odd\r\n250-PIPELINING\r\n250 AUTH PLAIN'])(
  'a recipient that is refused never counts as sent, after %j',
  async (EHLO) => {
    const queue = await queueWith({ EHLO, RCPT: ['550 5.1.1 Who?', '250 ok'], DATA: '354 text' })
    await queue.put('two', { recipients: ['a@b.example', 'c@d.example'] })
    expect(await queue.work()).toMatchObject({
      ...{ queued: 0, sent_day: 1, failed_day: 1 },
      failures: [{ recipient: 'a@b.example', answer: '550 5.1.1 Who?' }],
    })
  },
)

test.each(['MAIL', 'RCPT', 'DATA', 'text'])(
  'a relay with pipelining that defers at %s gets the message once, later',
  async (stage) => {
    const good = stage === 'DATA' ? '354 send the text' : '250 ok'
    const EHLO = '250-odd\r\n250-PIPELINING\r\n250 AUTH PLAIN'
    const queue = await queueWith({ EHLO, [stage]: ['451 4.7.1 Later', good] })
    await queue.put('first')
    expect(await queue.work()).toMatchObject({ queued: 1, sent_day: 0, failed_day: 0 })
    expect(await queue.pass(HOUR)).toMatchObject({ queued: 0, sent_day: 1, failed_day: 0 })
  },
)

test('each recipient of a message gets it once, whatever the answers for others', async () => {
  const queue = await queueWith({ RCPT: ['250 ok', '451 4.2.2 Full', '550 5.1.1 Who?', '250 ok'] })
  await queue.put('three', { recipients: ['a@b.example', 'c@b.example', 'd@b.example'] })
  expect(await queue.work()).toMatchObject({ queued: 1, sent_day: 1, failed_day: 1 })
  relay.received.length = 0
  expect(await queue.pass(HOUR)).toMatchObject({ queued: 0, sent_day: 2, failed_day: 1 })
  expect(relay.received.filter((line) => line.startsWith('RCPT'))).toEqual([
    'RCPT TO:<c@b.example>',
  ])
})

test('a message at which the relay always closes the connection does not delay others', async () => {
  const queue = await queueWith({ MAIL: ['421 4.7.0 Not this one close', '250 ok'] })
  await queue.put('first')
  await queue.put('other')
  await queue.work()
  relay.answers = { MAIL: '250 ok' }
  await queue.pass(5 * 60_000)
  expect(relay.taken).toEqual(['other', 'first'])
})

test('a relay that closes the connection after each message gets all of them without a pause', async () => {
  const queue = await queueWith({ text: '250 taken close' })
  for (const subject of ['one', 'two', 'three']) await queue.put(subject)
  for (let tries = 0; tries < 3; tries += 1) await queue.work()
  expect(relay.taken).toEqual(['one', 'two', 'three'])
  expect(queue.place.status()).toMatchObject({ queued: 0, sent_day: 3, problem: null })
})

test.each(['close', '421 4.7.0 Too many messages close'])(
  'a relay that closes a used connection at the next message, with %s, gets it immediately over a new one',
  async (end) => {
    const queue = await queueWith({ MAIL: ['250 ok', end, '250 ok'] })
    for (const subject of ['one', 'two']) await queue.put(subject)
    for (let tries = 0; tries < 2; tries += 1) await queue.work()
    expect(relay.taken).toEqual(['one', 'two'])
    expect(relay.connections).toBe(2)
    expect(queue.place.status()).toMatchObject({ queued: 0, sent_day: 2, problem: null })
  },
)

test('text that a relay sends unprompted is not an answer', async () => {
  const queue = await queueWith({ RSET: '250 ok\r\n250 again', RCPT: ['550 5.1.1 Who?', '250 ok'] })
  await queue.put('first')
  await queue.put('other')
  await queue.pass(HOUR)
  expect(relay.taken).toEqual(['other'])
  expect(queue.place.status()).toMatchObject({ queued: 0, sent_day: 1, failed_day: 1 })
})

/** Reports of a failing relay: the message waits, and is sent once when the relay works again. */
const RELAY_TROUBLES: [string, Answers, string][] = [
  ['greets with 554', { greeting: '554 5.3.2 No service close' }, '554 5.3.2 No service'],
  ['greets with 421', { greeting: '421 4.3.2 Full close' }, '421 4.3.2 Full'],
  ['says nothing', { greeting: 'hang' }, 'the relay did not answer within 0.1 seconds'],
  ['closes at once', { greeting: 'close' }, 'the relay closed the connection'],
  ['speaks another protocol', { greeting: 'SSH-2.0-x' }, 'the relay answered: SSH-2.0-x'],
  [
    'refuses EHLO and HELO',
    { EHLO: '502 5.5.1 What?', HELO: '502 5.5.1 What?' },
    '502 5.5.1 What?',
  ],
  ['says nothing to EHLO', { EHLO: 'hang' }, 'the relay did not answer within 0.1 seconds'],
  ['wants a login', { MAIL: '530 5.7.0 Log in' }, '530 5.7.0 Log in'],
  ['ends at MAIL', { MAIL: '421 4.7.0 Slow down close' }, '421 4.7.0 Slow down'],
  ['ends at RCPT', { RCPT: '421 4.7.0 Slow down close' }, '421 4.7.0 Slow down'],
  ['hangs at MAIL', { MAIL: 'hang' }, 'the relay did not answer within 0.1 seconds'],
  ['hangs at RCPT', { RCPT: 'hang' }, 'the relay did not answer within 0.1 seconds'],
  ['hangs at DATA', { DATA: 'hang' }, 'the relay did not answer within 0.1 seconds'],
  ['takes DATA for done', { DATA: '250 thanks' }, 'the relay answered to DATA: 250 thanks'],
  ['ends in the text', { text: 'close' }, 'the relay closed the connection'],
  ['ends after the text', { text: '421 4.3.2 Bye close' }, '421 4.3.2 Bye'],
  [
    'never ends its answer',
    { EHLO: `250-${'x'.repeat(70_000)}` },
    'the answer of the relay is too long',
  ],
]

test.each(RELAY_TROUBLES)('a relay that %s loses nothing', async (_, answers, answer) => {
  const queue = await queueWith(answers)
  await queue.put('first')
  const status = await queue.work()
  expect(status).toMatchObject({ queued: 1, sent_day: 0, failed_day: 0, problem: { answer } })
  // It is not asked again before its time.
  await queue.work()
  expect(relay.connections).toBe(1)

  relay.answers = {}
  Object.assign(times, PATIENT)
  expect(await queue.pass(HOUR)).toMatchObject({ queued: 0, sent_day: 1, problem: null })
  expect(relay.taken).toEqual(['first'])
  expect(await queue.place.emptied()).toEqual([])
})

test('lines that begin with dots arrive as they are, and do not end the message', async () => {
  const server = new Relay()
  await server.start()
  const folder = await mkdtemp(join(tmpdir(), 'mail-'))
  const text = 'Subject: dots\r\n\r\n.\r\n..\r\na.\r\n.b\r\n'
  await writeFile(join(folder, 'text'), text)
  const setting = { host: 'localhost', port: server.port, tls: 'none', user: '', password: '' }
  const connection = await connect(setting as RelaySetting)
  const message = { sender: 'a@b.example', recipients: ['c@d.example'], text: `${folder}/text` }

  const outcome = await send(connection, message)

  connection.close()
  await server.stop()
  await rm(folder, { recursive: true })
  expect(outcome).toEqual({
    accepted: ['c@d.example'],
    deferred: [],
    refused: [],
    answer: '250 2.0.0 Ok: queued as 1',
  })
  expect(server.received).toMatchObject([{ from: 'a@b.example', to: ['c@d.example'], text }])
})

test('a failure to record what the relay took ends the connection, not the program', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'smtp-'))
  const text = join(folder, 'text')
  await writeFile(text, 'Subject: taken\r\n\r\nWords\r\n')
  const sink = new Relay()
  await sink.start()
  const setting = { host: 'localhost', port: sink.port, tls: 'none', user: '', password: '' }
  const connection = await connect(setting as RelaySetting)
  const message = { sender: 'a@b.example', recipients: ['c@d.example'], text }
  const taken = () => {
    throw new Error('no space left on device')
  }

  await expect(send(connection, message, taken)).rejects.toThrow('no space left on device')

  expect(connection.open).toBe(false)
  await sink.stop()
  await rm(folder, { recursive: true })
})
