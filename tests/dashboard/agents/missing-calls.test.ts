import { beforeEach, expect, test } from 'bun:test'
import { MissingCalls } from '#dashboard/agents/missing-calls.ts'
import { notFound, offline } from '#shared/errors.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'

const MINUTE = 60_000
let clock: HeldClock
let missing: MissingCalls
let sent: number

beforeEach(() => {
  clock = new HeldClock()
  missing = new MissingCalls(clock)
  sent = 0
})

const send = (error: unknown = notFound('Endpoint'), path = '/web') =>
  missing
    .send(1, path, async () => {
      sent += 1
      throw error
    })
    .catch((thrown: unknown) => thrown)

test('a call that an agent does not have is sent again after ten minutes at the latest', async () => {
  const first = await send()
  const second = await send()
  const during = sent
  clock.move(10 * MINUTE)
  await send()

  expect([second, during, sent]).toEqual([first, 1, 2])
})

test('another call, another server and another failure are not affected', async () => {
  await send()
  await send(undefined, '/mail')
  await missing.send(2, '/web', async () => undefined)
  await send(offline('broke the connection'), '/usage')
  await send(offline('broke the connection'), '/usage')

  expect(sent).toBe(4)
  expect([missing.has(1, '/web'), missing.has(1, '/usage')]).toEqual([true, false])
})

test('a changed server is asked again at once', async () => {
  await send()
  missing.forget(1)
  await send()

  expect(sent).toBe(2)
})

test('an agent that still lacks one call is not asked for the others', async () => {
  for (const path of ['/web', '/mail', '/usage']) await send(undefined, path)
  clock.move(10 * MINUTE)
  for (const path of ['/web', '/mail', '/usage']) await send(undefined, path)

  expect(sent).toBe(4)
})
