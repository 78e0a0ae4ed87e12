import { afterEach, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { KeptMessages } from '#agent/programs/mail/kept-messages.ts'
import type { MailService } from '#agent/programs/mail/serve.ts'
import { MessageStore } from '#agent/programs/mail/store.ts'
import { hand, MailPlace, messageTo } from '#tests/support/mail/queue.ts'
import { Relay } from '#tests/support/mail/relay.ts'

const relay = new Relay()
let running: MailService | undefined

afterEach(async () => {
  await running?.stop()
  await relay.stop()
})

const idOf = (number: number) => number.toString(16).padStart(24, '0')

test('mail of a staging site is kept, whatever relay is set, and counted', async () => {
  await relay.start()
  const place = new MailPlace()
  place.server(relay.port)
  place.site({ caught: true })
  running = await place.started()

  const answer = await hand(place.places.socket('shop'), messageTo('ann@example.org', 'Order 12'))

  expect(answer).toMatch(/^250 queued as [0-9a-f]{24}$/)
  await place.until(({ caught }) => caught === 1)
  const folder = place.places.caughtOf('shop')
  const [name = ''] = readdirSync(folder).filter((one) => one.endsWith('.eml'))
  expect(readFileSync(`${folder}/${name}`, 'utf8')).toContain('Subject: Order 12\r\n')
  expect(place.status()).toMatchObject({ queued: 0, sent_day: 0, refused_day: 0 })
  expect(relay.received).toEqual([])
})

test('it is kept without any relay too, and a restart of the queue loses none', async () => {
  const place = new MailPlace()
  place.site({ caught: true })
  running = await place.started()
  await hand(place.places.socket('shop'), messageTo('ann@example.org'))
  await running.stop()

  running = await place.started()

  expect(place.status()).toMatchObject({ caught: 1, queued: 0 })
})

test('the oldest messages are removed for new ones', async () => {
  const folder = new MailPlace().places.caughtOf('shop')
  const store = new MessageStore(folder)
  const caught = await KeptMessages.open(store)
  for (let number = 1; number <= 203; number += 1) {
    const id = idOf(number)
    await (await store.openText(id)).close()
    const times = { created_at: number, next_at: number, attempts: 0, answer: '' }
    await caught.add({ id, sender: 'a@b.c', recipients: ['d@e.f'], size: 10, ...times })
  }

  expect(caught.count).toBe(200)
  expect((await KeptMessages.open(store)).count).toBe(200)
  expect(readdirSync(folder)).not.toContain(`${idOf(3)}.json`)
  expect(readdirSync(folder)).toContain(`${idOf(4)}.json`)
})
