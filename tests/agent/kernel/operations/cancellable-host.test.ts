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

test('work that is cancelled while it waits for its turn does not run later, during the undo', async () => {
  const host = fakeHost()
  const one = { most: 1, first: async () => undefined, last: async () => undefined }
  const other = Promise.withResolvers<void>()
  const before = host.shared('import', one, () => other.promise)
  const session = new Session(host, 'op1')
  const ran: string[] = []
  const work = session.host.shared('import', one, async () => ran.push('import'))

  session.stop(conflict(CANCELLED), true)
  await expect(work).rejects.toThrow(CANCELLED)
  await session.undoing()
  const undo = session.host.shared('import', one, async () => ran.push('undo'))
  other.resolve()
  await Promise.all([before, undo])

  expect(ran).toEqual(['undo'])
})
