import { expect, test } from 'bun:test'
import { followSource } from '#dashboard/operations/follow.ts'
import { Bus } from '#dashboard/runtime/bus.ts'
import type { StoredEvent } from '#shared/sse.ts'

const line = (id: number): StoredEvent => ({ id, event: 'log', data: { message: `line ${id}` } })

/** A viewer of one operation, how often it read the records, and the pauses that it wanted. */
function viewer(is_shared: boolean) {
  const bus = new Bus()
  const stored: StoredEvent[] = []
  const pauses: number[] = []
  const counts = { reads: 0 }
  const sleep = (ms: number) => {
    pauses.push(ms)
    return new Promise<void>(() => undefined)
  }
  const source = {
    key: 'one',
    async list(after: number) {
      counts.reads += 1
      return stored.filter(({ id }) => id > after)
    },
    isOver: async () => false,
  }
  const deps = { db: { is_shared }, bus, clock: { sleep } } as never
  const events = followSource(deps, source, 0, new AbortController().signal)
  return { bus, stored, pauses, counts, events }
}

test.each([
  ['alone, a dashboard reads again only what it has stored', false, 30_000],
  ['one of several dashboards also looks for what others have stored', true, 2_000],
])('%s', async (_, is_shared, pause_ms) => {
  const { bus, stored, pauses, counts, events } = viewer(is_shared)
  stored.push(line(1))
  expect((await events.next()).value).toEqual(line(1))

  const next = events.next()
  await Bun.sleep(5)
  expect([counts.reads, pauses]).toEqual([2, [pause_ms]])
  stored.push(line(2))
  bus.notify('one')

  expect((await next).value).toEqual(line(2))
  expect(counts.reads).toBe(3)
})
