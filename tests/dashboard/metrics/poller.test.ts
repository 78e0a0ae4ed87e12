import { afterEach, describe, expect, test } from 'bun:test'
import { Poller } from '#dashboard/metrics/poller.ts'
import type { Reading } from '#dashboard/metrics/queries.ts'
import type { Metrics } from '#shared/agent.ts'
import { SteppedClock } from '#tests/support/dashboard/clock.ts'

const MINUTE = 60_000
const START = Date.parse('2026-01-01T00:00:00.000Z') / 1000
const space = { used: 1, total: 2, unit: 'MB' as const }
const METRICS: Metrics = {
  cpu: 1,
  ram: space,
  disk: space,
  load: [0, 0, 0],
  uptime: 1,
  os: '',
  version: '',
}

let clock: SteppedClock
let poller: Poller | undefined
/** The servers of each write, as `seconds into the run: ids at minute`. */
let writes: string[]
let counted: number[]

function poll(
  ids: readonly number[],
  {
    ask = async () => METRICS,
    store = async () => undefined,
    counting = async () => undefined,
  }: {
    ask?: (id: number) => Promise<Metrics>
    store?: () => Promise<void>
    counting?: () => Promise<void>
  } = {},
): Poller {
  clock = new SteppedClock()
  writes = []
  counted = []
  const log = { info: () => undefined, error: (message: string) => writes.push(message) }
  const record = (readings: readonly Reading[]) => {
    const minute = ((readings[0]?.at ?? 0) - START) / 60
    const seconds = clock.now().getTime() / 1000 - START
    writes.push(`${seconds}: ${readings.map(({ server_id }) => server_id)} at ${minute}`)
    return store()
  }
  const count = ({ id }: { id: number }) => {
    counted.push(id)
    return counting()
  }
  const list = async () => ids.map((id) => ({ id, hostname: '', port: 1 }))
  poller = new Poller({
    clock,
    log,
    list,
    ask: async ({ id }) => ({ metrics: await ask(id) }),
    store: record,
    count,
  })
  poller.start()
  return poller
}

afterEach(async () => {
  const stopped = poller?.stop()
  await clock.pass(2 * MINUTE)
  await stopped
})

describe('the poll of metrics', () => {
  test('polls each server once a minute, spread over it, and writes each round at once', async () => {
    poll([1, 2, 11, 12, 20])

    await clock.pass(3 * MINUTE - 1)

    expect(writes).toEqual([
      '62.5: 20 at 1',
      '67.5: 1,11 at 1',
      '72.5: 2,12 at 1',
      '122.5: 20 at 2',
      '127.5: 1,11 at 2',
      '132.5: 2,12 at 2',
    ])
  })

  test('skips a server that does not answer, and continues with the others', async () => {
    poll([1, 11], {
      ask: async (id) => {
        if (id === 1) throw new Error('away')
        return METRICS
      },
    })

    await clock.pass(3 * MINUTE - 1)

    expect(writes).toEqual(['67.5: 11 at 1', '127.5: 11 at 2'])
  })

  test('does not poll a server whose last poll is still open', async () => {
    let asked = 0
    poll([1], {
      ask: async () => {
        asked += 1
        await clock.sleep(1.5 * MINUTE)
        return METRICS
      },
    })

    await clock.pass(2.5 * MINUTE)
    const during = asked
    await clock.pass(MINUTE)

    expect([during, asked]).toEqual([1, 2])
    expect(writes).toEqual(['157.5: 1 at 1'])
  })

  test('continues when a write fails', async () => {
    poll([1], { store: () => Promise.reject(new Error('disk full')) })

    await clock.pass(3 * MINUTE - 1)

    expect(writes).toEqual([
      '67.5: 1 at 1',
      'metrics could not be stored',
      '127.5: 1 at 2',
      'metrics could not be stored',
    ])
  })

  test('agents that count slowly delay no reading, and are not asked again meanwhile', async () => {
    const slow = Array.from({ length: 16 }, (_, place) => 1 + 10 * place)
    poll([...slow, 2], { counting: () => clock.sleep(1.5 * MINUTE) })

    await clock.pass(4 * MINUTE - 1)

    const readings = writes.filter((write) => write.includes(': 2 '))
    expect(readings).toEqual(['72.5: 2 at 1', '132.5: 2 at 2', '192.5: 2 at 3'])
    expect(counted.filter((id) => id === 1)).toHaveLength(2)
  })

  test('starts no round after it is stopped', async () => {
    const running = poll([1, 2, 3])
    await clock.pass(MINUTE + 8_000)

    const stopped = running.stop()
    await clock.pass(3 * MINUTE)
    await stopped

    expect(writes).toEqual(['67.5: 1 at 1'])
  })
})
