import { afterEach, expect, test } from 'bun:test'
import { ClockedQueue, HOUR } from '#tests/support/mail/clocked-queue.ts'
import { type Answers, OddRelay } from '#tests/support/mail/odd-relay.ts'

const PATIENT = { connect_ms: 30_000, answer_ms: 30_000, accept_ms: 30_000 }
/** For relays that say nothing at all: one that is slow is none of them. */
const QUICK = { ...PATIENT, answer_ms: 100, accept_ms: 100 }
let relay: OddRelay
let times: typeof PATIENT

afterEach(() => relay.stop())

async function queueWith(answers: Answers): Promise<ClockedQueue> {
  relay = await OddRelay.start(answers)
  times = { ...(Object.values(answers).includes('hang') ? QUICK : PATIENT) }
  return new ClockedQueue(relay.port, { times })
}

/** Reports of a failing relay: the message waits, and is sent once when the relay works again. */
const RELAY_TROUBLES: [string, Answers, string][] = [
  ['greets with 554', { greeting: '554 5.3.2 No service close' }, '554 5.3.2 No service'],
  ['greets with 421', { greeting: '421 4.3.2 Full close' }, '421 4.3.2 Full'],
  ['says nothing', { greeting: 'hang' }, 'the relay did not answer within 0.1 seconds'],
  ['closes at once', { greeting: 'close' }, 'the relay closed the connection'],
  ['speaks another protocol', { greeting: 'SSH-2.0-x' }, 'the relay answered: SSH-2.0-x'],
  ['refuses EHLO', { EHLO: '502 5.5.1 What?' }, '502 5.5.1 What?'],
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
