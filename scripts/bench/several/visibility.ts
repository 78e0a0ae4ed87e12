import { readEvents } from '#shared/sse.ts'
import type { Client } from '#tests/support/client.ts'
import { create, type Member } from '#tests/support/leases/fleet.ts'

const WRITES = 100
const EVENTS = 40

export interface Visibility {
  /** Reads, of the dashboard of the write and of another, that miss a write before them. */
  missed: number
  writes: number
  /** Milliseconds from the begin of a write to an answer of another dashboard that has it. */
  read: number[]
  /** Milliseconds from the begin of a call to its event on a stream of another dashboard. */
  event: number[]
}

/** What one dashboard writes, and another one shows. */
export async function measureVisibility(one: Member, other: Member): Promise<Visibility> {
  const read: number[] = []
  let missed = 0
  for (let turn = 0; turn < WRITES; turn++) {
    const name = `renamed-${turn}`
    const begun = performance.now()
    const seen = until(other.client, name).then((at) => read.push(at - begun))
    const body = { name }
    const { status } = await one.client.send({ method: 'PATCH', path: '/api/servers/1', body })
    if (status !== 200) throw new Error(`a write is answered with ${status}`)
    for (const { client } of [one, other]) if (!(await has(client, name))) missed += 1
    await seen
  }
  return { missed, writes: WRITES, read, event: await eventTimes(one, other) }
}

async function has(client: Client, name: string): Promise<boolean> {
  const { text } = await client.get('/api/servers')
  return text.includes(`"${name}"`)
}

async function until(client: Client, name: string): Promise<number> {
  while (!(await has(client, name)));
  return performance.now()
}

async function eventTimes(one: Member, { client }: Member): Promise<number[]> {
  const waiting = new Map<string, (at: number) => void>()
  const over = new AbortController()
  const { body } = await client.open({ path: '/api/fleet/events' }, over.signal)
  const followed = follow(body ?? new ReadableStream(), waiting).catch((error: unknown) => {
    if (!over.signal.aborted) throw error
  })
  const times: number[] = []
  for (let turn = 0; turn < EVENTS; turn++) {
    const domain = `visible-${turn}.example`
    const { promise, resolve } = Promise.withResolvers<number>()
    waiting.set(domain, resolve)
    const begun = performance.now()
    await create(one, 1, domain)
    times.push((await promise) - begun)
    // At any time of the exchange of news.
    await Bun.sleep(500 + 37 * (turn % 13))
  }
  over.abort()
  await followed
  return times
}

async function follow(
  stream: ReadableStream<Uint8Array>,
  waiting: ReadonlyMap<string, (at: number) => void>,
): Promise<void> {
  for await (const { data } of readEvents(stream)) {
    const text = JSON.stringify(data)
    for (const [domain, seen] of waiting) if (text.includes(domain)) seen(performance.now())
  }
}
