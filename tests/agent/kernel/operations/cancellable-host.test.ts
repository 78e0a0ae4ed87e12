import { expect, test } from 'bun:test'
import { Session } from '#agent/kernel/operations/cancellable-host.ts'
import { CANCELLED, conflict, messageOf } from '#shared/kernel/errors.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

test('a cancel waits for the answer to a TXT record, so that its removal comes later', async () => {
  const host = fakeHost()
  const answer = Promise.withResolvers<undefined>()
  host.acme.record = () => answer.promise
  const session = new Session(host, 'op1')
  const record = { api: 'https://cf.example', token: 't', name: 'a', value: 'v' }
  let outcome = ''
  const work = session.host.acme.record({ ...record, action: 'present' }).catch((error) => {
    outcome = messageOf(error)
  })
  await Bun.sleep(0)

  session.stop(conflict(CANCELLED), true)
  await Bun.sleep(20)
  expect(outcome).toBe('')

  answer.resolve(undefined)
  await work
  expect(outcome).toBe(CANCELLED)
})
