import { expect, test } from 'bun:test'
import { removeOldOperations } from '#agent/kernel/operations/retention.ts'
import { OperationStore } from '#agent/kernel/operations/store.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const now = Date.UTC(2026, 0, 1)
const plenty = 2 ** 40

async function storeWith(ages: Record<string, number>, unended: string[] = []) {
  const store = new OperationStore(fakeHost().files, '/state')
  for (const [id, age] of Object.entries(ages)) {
    const params = { domain: 'shop.example' }
    const created_at = now - age
    await store.create({ id, command: 'cache.purge', params, fingerprint: 'f', created_at })
    const message = 'x'.repeat(10_000)
    await store.addEvent(id, { id: 1, event: 'log', data: { message } })
    if (unended.includes(id)) continue
    await store.addEvent(id, { id: 2, event: 'complete', data: { status: 'ok' } })
    await store.markEnded(id)
  }
  return store
}

const left = async (store: OperationStore) => (await store.ids()).toSorted()

test.each<[string, Record<string, number>, number, string[]]>([
  ['ended more than 30 days ago', { old: 31 * DAY, young: 29 * DAY }, plenty, ['young']],
  [
    'are the oldest ended ones while all of them exceed the limit',
    { a: 4 * DAY, b: 2 * DAY, c: 3 * DAY, d: DAY },
    25_000,
    ['b', 'd'],
  ],
  [
    'do not run, and are not of the last hour',
    { running: 40 * DAY, late: HOUR / 2, gone: 2 * HOUR },
    1,
    ['late', 'running'],
  ],
])('removes operations that %s', async (_, ages, most_bytes, expected) => {
  const store = await storeWith(ages, ['running'])

  await removeOldOperations(store, { now, most_bytes })

  expect(await left(store)).toEqual(expected)
})

const REFUSAL = { fingerprint: 'f', code: 'not_found', message: 'Site not found' } as const

test.each<[string, (store: OperationStore, id: string, at: number) => Promise<unknown>]>([
  ['cancel requests without an operation', (store, id, at) => store.cancel(id, at)],
  ['refusals', (store, id, at) => store.refuse(id, { ...REFUSAL, at })],
])('forgets %s after 30 days', async (_, note) => {
  const store = await storeWith({})
  await note(store, 'old', now - 31 * DAY)
  await note(store, 'young', now - DAY)

  await removeOldOperations(store, { now, most_bytes: plenty })

  expect(await left(store)).toEqual(['young'])
})
