import { expect, test } from 'bun:test'
import { listSince } from '#agent/kernel/operations/runner.ts'
import { OperationStore } from '#agent/kernel/operations/store.ts'
import { MAX_AGENT_OPERATIONS } from '#shared/kernel/agent-operations.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

const REQUEST = { command: 'cache.purge', fingerprint: '' } as const
const START = Date.parse('2026-03-01T00:00:00.000Z')

test('lists what was requested since a time, the newest first, without params and results', async () => {
  const store = new OperationStore(fakeHost().files, '/var/lib/hosting-agent')
  const add = (id: string, hour: number, params: object) =>
    store.create({ ...REQUEST, id, params, created_at: START + hour * 3_600_000 })
  await add('old', -1, { domain: 'old.example' })
  await add('ended', 1, { domain: 'shop.example', password: 'secret' })
  await store.addEvent('ended', { id: 1, event: 'complete', data: { status: 'ok' } })
  await add('failed', 2, { domain: 7 })
  await store.addEvent('failed', { id: 1, event: 'error', data: { error: 'Internal error' } })
  await add('running', 3, {})
  await store.refuse('refused', { at: START, fingerprint: '', code: 'conflict', message: '' })

  const command = 'cache.purge'
  const at = (hour: number) => START + hour * 3_600_000
  expect(await listSince(store, START)).toEqual({
    operations: [
      { id: 'running', command, domain: '', created_at: at(3), end: null },
      { id: 'failed', command, domain: '', created_at: at(2), end: 'error' },
      { id: 'ended', command, domain: 'shop.example', created_at: at(1), end: 'complete' },
    ],
    total: 3,
  })
})

test('lists the newest of very many, and says how many there are', async () => {
  const ids = Array.from({ length: MAX_AGENT_OPERATIONS + 50 }, (_, at) => `op${at}`)
  const listed = await listSince(
    {
      ids: async () => ids,
      request: async (id) => ({ ...REQUEST, id, params: {}, created_at: Number(id.slice(2)) }),
      events: async () => [],
    },
    0,
  )

  expect([listed.total, listed.operations.length]).toEqual([ids.length, MAX_AGENT_OPERATIONS])
  expect(listed.operations[0]?.id).toBe(ids.at(-1))
})
