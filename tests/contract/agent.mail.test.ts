// tier: core
import { afterEach, describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { hand, MailPlace, messageTo } from '#tests/support/mail/queue.ts'
import { Relay } from '#tests/support/mail/relay.ts'
import { type Running, runAgent, runtimesOf, startAgent } from '#tests/support/processes.ts'

const relay = new Relay()
let running: Running | undefined

afterEach(async () => {
  await running?.kill()
  running = undefined
  relay.release()
  await relay.stop()
  relay.received.length = 0
})

/** A place that belongs to whom the tests run the agent as. */
async function placeFor(): Promise<MailPlace> {
  await relay.start()
  const place = new MailPlace()
  place.server(relay.port)
  open(place.root)
  return place
}

function open(path: string): void {
  chmodSync(path, 0o777)
  if (process.getuid?.() === 0) chownSync(path, 65_534, 65_534)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) open(join(path, entry.name))
  }
}

const subjects = () =>
  relay.received.map(({ text }) => /^Subject: (.*)\r$/m.exec(text)?.[1] ?? '').sort()

describe.each(runtimesOf('agent.mail'))('the queue of mail, %s', (runtime) => {
  const begin = async (place: MailPlace) => {
    running = await startAgent(
      runtime,
      { AGENT_MAIL_DIR: place.root, AGENT_MAIL_RETRIES: '1' },
      'mail',
    )
  }

  test('a killed queue loses nothing, and repeats at most the message that the relay was answering', async () => {
    const place = await placeFor()
    const socket = place.places.socket('shop')
    await begin(place)
    const taken: string[] = []
    const give = async (subject: string) => {
      const id = Buffer.from(subject.padEnd(12, '.')).toString('hex')
      const text = messageTo('ann@example.org', subject)
      // As `sendmail` does: the same id, until there is an answer.
      for (let tries = 0; tries < 600; tries += 1) {
        if ((await hand(socket, text, { id })).startsWith('250 ')) break
        await Bun.sleep(50)
      }
      taken.push(subject)
    }
    for (let round = 0; round < 3; round += 1) {
      const giving = Promise.all(Array.from({ length: 5 }, (_, at) => give(`m${round}-${at}`)))
      // While the relay has none of them, so that no answer of it can be lost.
      if (round === 1) await relay.stop()
      await running?.kill()
      await begin(place)
      await giving
    }
    await relay.start()
    await place.until(({ queued }) => queued === 0)

    expect(new Set(subjects())).toEqual(new Set(taken))
    expect(subjects().length - taken.length).toBeLessThanOrEqual(5)
  })

  test('a stopping queue waits for the answer to its current message', async () => {
    const place = await placeFor()
    await begin(place)
    await hand(place.places.socket('shop'), messageTo('ann@example.org', 'slow'))
    for (let tries = 0; relay.slow === 0 && tries < 500; tries += 1) await Bun.sleep(20)
    const stopped = running?.stop()
    await Bun.sleep(100)
    relay.release()
    await stopped
    await begin(place)
    await hand(place.places.socket('shop'), messageTo('ann@example.org', 'after'))
    await place.until(({ queued }) => queued === 0)

    expect(subjects()).toEqual(['after', 'slow'])
  })

  test('tests a relay and shows the dialogue, without the password', async () => {
    const place = await placeFor()
    const user = { host: '127.0.0.1', port: relay.port, tls: 'none', user: 'u' } as const
    place.server(relay.port, { relay: { ...user, password: 'right' } })
    const env = { AGENT_MAIL_DIR: place.root }

    const good = await runAgent(runtime, ['mail-try', 'ann@example.org'], env)
    expect(good.out).toContain('> AUTH PLAIN (user and password)\n< 235')
    expect(good.out.trim().split('\n').at(-1)).toBe(
      '{"taken":true,"answer":"250 2.0.0 Ok: queued as 1"}',
    )
    const bad = await runAgent(runtime, ['mail-try', 'bounce@example.org'], env)
    expect(bad.out.trim().split('\n').at(-1)).toBe(
      '{"taken":false,"answer":"550 5.1.1 No such user"}',
    )
    expect(good.out + bad.out).not.toContain(Buffer.from('\0u\0right').toString('base64'))
  })
})
