// tier: gate
import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import type { MailService } from '#agent/programs/mail/serve.ts'
import { hand, MailPlace, messageTo } from '#tests/support/mail/queue.ts'
import { Relay } from '#tests/support/mail/relay.ts'

const ends: (() => Promise<void>)[] = []
afterAll(async () => {
  await Promise.all(ends.map((end) => end()))
})

async function started(place: MailPlace): Promise<MailService> {
  const service = await place.started()
  ends.push(() => service.stop())
  return service
}

async function startedRelay(): Promise<Relay> {
  const relay = new Relay()
  await relay.start()
  ends.push(() => relay.stop())
  return relay
}

async function withRelay(change: Parameters<MailPlace['server']>[1] = {}) {
  const relay = await startedRelay()
  const place = new MailPlace()
  place.server(relay.port, change)
  return { relay, place, service: await started(place) }
}

test.concurrent('a message reaches the relay unchanged, and leaves no file', async () => {
  const { place, relay } = await withRelay()

  const more = 'From: Shop <shop@shop.example.com>\nBcc: hidden@example.org\n'
  const answer = await hand(
    place.places.socket('shop'),
    messageTo('ann@example.org', 'Hello', more),
  )
  expect(answer).toMatch(/^250 queued as [0-9a-f]{24}$/)
  await place.until(({ sent_day }) => sent_day === 2)

  const [{ text, ...envelope } = { text: '' }] = relay.received
  expect(envelope as object).toEqual({
    from: 'shop@shop.example.com',
    to: ['ann@example.org', 'hidden@example.org'],
    user: '',
  })
  expect(text).toEndWith('\r\n\r\nWords\r\n.\r\nof the site\r\n')
  expect(text).toContain('From: Shop <shop@shop.example.com>\r\n')
  expect(text).toMatch(/^Message-ID: <[0-9a-f]{24}@shop\.example\.com>\r$/m)
  expect(text).not.toContain('hidden@example.org')
  expect(await place.emptied()).toEqual([])
  expect(place.status()).toMatchObject({ queued: 0, failed_day: 0, problem: null })
})

test.concurrent('each recipient is delivered, deferred, or given up with the message of the relay', async () => {
  const { place, relay } = await withRelay()
  const to = 'ann@example.org, bounce@example.org, defer@example.org'
  await hand(place.places.socket('shop'), messageTo(to))
  await place.until(({ sent_day, failed_day }) => sent_day === 1 && failed_day === 1)
  expect(place.status()).toMatchObject({
    queued: 1,
    failures: [{ recipient: 'bounce@example.org', answer: '550 5.1.1 No such user' }],
  })

  relay.deferring = false
  await place.until(({ queued }) => queued === 0)
  expect(relay.received.map((one) => one.to)).toEqual([['ann@example.org'], ['defer@example.org']])
})

test.concurrent('a message that is refused after its text is given up', async () => {
  const { place } = await withRelay()
  await hand(place.places.socket('shop'), messageTo('ann@example.org', 'refuse'))
  await place.until(({ failed_day }) => failed_day === 1)
  expect(place.status()).toMatchObject({ queued: 0, failures: [{ answer: '554 5.7.1 Spam' }] })
  expect(await place.emptied()).toEqual([])
})

test.concurrent('a relay that was down gets every message once when it is back', async () => {
  const { place, relay } = await withRelay()
  await relay.stop()
  for (const name of ['ann', 'ben', 'cid']) {
    const answer = await hand(place.places.socket('shop'), messageTo(`${name}@example.org`))
    expect(answer).toStartWith('250 ')
  }
  await place.until(({ queued, problem }) => queued === 3 && problem !== null)
  expect(place.status().problem?.answer).toMatch(/ECONNREFUSED|refused|connect/i)

  await relay.start()
  await place.until(({ queued }) => queued === 0)
  expect(relay.received.map(({ to }) => to[0]).sort()).toEqual([
    'ann@example.org',
    'ben@example.org',
    'cid@example.org',
  ])
  expect(place.status().problem).toBeNull()
})

test.concurrent('a wrong password keeps the mail until it is right', async () => {
  const { place, relay } = await withRelay()
  place.site({
    relay: { host: '127.0.0.1', port: relay.port, tls: 'none', user: 'shop', password: 'wrong' },
  })
  await hand(place.places.socket('shop'), messageTo('ann@example.org'))
  await place.until(({ problem }) => problem?.answer === '535 5.7.8 No')
  expect(place.status().queued).toBe(1)

  place.site({
    relay: { host: '127.0.0.1', port: relay.port, tls: 'none', user: 'shop', password: 'right' },
  })
  await place.until(({ queued }) => queued === 0)
  expect(relay.received.map(({ user }) => user)).toEqual(['shop'])
})

test.concurrent('the next process has all queued messages, and no incomplete one', async () => {
  const { place, relay, service } = await withRelay()
  await relay.stop()
  await hand(place.places.socket('shop'), messageTo('ann@example.org'))
  const id = 'a'.repeat(24)
  await hand(place.places.socket('shop'), messageTo('ben@example.org'), { id, short: 5 })
  await service.stop()

  await relay.start()
  await started(place)
  await place.until(({ queued }) => queued === 0)
  expect(relay.received.map(({ to }) => to)).toEqual([['ann@example.org']])
  expect(await place.emptied()).toEqual([])
})

test.concurrent('a message that a site submits again after a lost answer is queued once', async () => {
  const { place, relay } = await withRelay()
  const id = 'b'.repeat(24)
  const text = messageTo('ann@example.org')
  expect(await hand(place.places.socket('shop'), text, { id })).toBe(`250 queued as ${id}`)
  await place.until(({ sent_day }) => sent_day === 1)
  expect(await hand(place.places.socket('shop'), text, { id })).toBe(`250 queued as ${id}`)
  await hand(place.places.socket('shop'), messageTo('last@example.org'))
  await place.until(({ sent_day }) => sent_day === 2)
  expect(relay.received).toHaveLength(2)
})

test.concurrent('the mail of a site waits above its hourly limit', async () => {
  const { place } = await withRelay({ hourly_limit: 2 })
  for (const name of ['ann', 'ben', 'cid']) {
    await hand(place.places.socket('shop'), messageTo(`${name}@example.org`))
  }
  await place.until(({ sent_day, held }) => sent_day === 2 && held)
  expect(place.status()).toMatchObject({ queued: 1, sent_hour: 2, problem: null })

  place.site({ hourly_limit: 10 })
  await place.until(({ queued }) => queued === 0)
  expect(place.status().held).toBe(false)
})

test.concurrent('without a relay, or turned off, it refuses mail with the reason', async () => {
  const relay = await startedRelay()
  const place = new MailPlace()
  await started(place)
  const text = messageTo('ann@example.org')
  const missing = '550 no relay is configured for this site: mail is not sent'
  expect(await hand(place.places.socket('shop'), text)).toBe(missing)

  place.server(relay.port, { enabled: false })
  const off = '550 mail is turned off for this site'
  expect(await hand(place.places.socket('shop'), text)).toBe(off)
  expect(place.status().refused_day).toBe(2)
  expect(relay.received).toEqual([])
})

test.concurrent('a folder that is removed and created again at once gets its socket again', async () => {
  const { place } = await withRelay()
  const folder = place.places.socketFolder('shop')
  for (let times = 0; times < 3; times += 1) {
    rmSync(folder, { recursive: true })
    mkdirSync(folder)
    const socket = place.places.socket('shop')
    for (let tries = 0; !existsSync(socket) && tries < 500; tries += 1) await Bun.sleep(10)
    expect(await hand(socket, messageTo('ann@example.org'))).toMatch(/^250 queued as /)
  }
})

test.concurrent('a removed site has no socket any more, and other sites are unaffected', async () => {
  const relay = await startedRelay()
  const place = new MailPlace(['shop', 'blog'])
  place.server(relay.port)
  await started(place)
  rmSync(place.places.socketFolder('shop'), { recursive: true })
  await hand(place.places.socket('blog'), messageTo('ann@example.org'))
  await place.until(({ sent_day }) => sent_day === 1, 'blog')
  expect(relay.received).toHaveLength(1)
})
