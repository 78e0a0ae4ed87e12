import type { Reading } from '#dashboard/features/metrics/queries.ts'
import { Pulses } from '#dashboard/features/servers/pulse/pulses.ts'
import type { PulseAnswer } from '#dashboard/features/servers/pulse/read-pulse.ts'
import { PROTOCOL } from '#shared/kernel/protocol.ts'
import { SteppedClock } from './clock.ts'

const START = Date.parse('2026-01-01T00:00:00.000Z') / 1000
const space = { used: 1, total: 2, unit: 'MB' as const }
export const METRICS = {
  ...{ cpu: 1, ram: space, disk: space, load: [0, 0, 0] as [number, number, number] },
  ...{ uptime: 1, os: '', version: '', protocol: PROTOCOL },
}
export const ANSWER: PulseAnswer = {
  metrics: METRICS,
  changes: {
    metrics: METRICS,
    versions: { health: 'same' },
    since: { health: 'same' },
    known: { whole_at: 0, has_lists: false, seen: 0, times: 0 },
    reader: { call: () => Promise.reject(new Error('Nothing is asked')) },
    asked_at: '',
  },
}

type Ask = (id: number, wait: number, signal: AbortSignal) => Promise<PulseAnswer>

interface Options {
  ask?: Ask
  store?: () => Promise<void>
  follow?: () => Promise<void>
  sync?: (id: number) => Promise<void>
  find?: ConstructorParameters<typeof Pulses>[0]['find']
}

export type PulseRun = ReturnType<typeof startPulses>

/** Pulses of these servers by a clock that a test moves, and what they do. */
export function startPulses(ids: readonly number[], options: Options = {}) {
  const clock = new SteppedClock()
  const address = (id: number) => ({ id, hostname: '', port: 1 })
  /** Like an agent: the call is held until the wait is over, or the dashboard ends it. */
  const held: Ask = async (_, wait, signal) => {
    await clock.sleep(wait * 1000, signal)
    if (signal.aborted) throw new Error('closing')
    return ANSWER
  }
  const none = async () => undefined
  const { ask = held, store = none, follow = none, sync = none } = options
  const { find = async (id) => (ids.includes(id) ? address(id) : undefined) } = options
  /** The servers of each write, as `seconds into the run: ids at minute`. */
  const writes: string[] = []
  /** The calls, as `seconds into the run: id waits seconds`. */
  const calls: string[] = []
  const followed: number[] = []
  /** The servers that did not answer, as `seconds into the run: id`. */
  const lost: string[] = []
  const seconds = () => clock.now().getTime() / 1000 - START
  const pulses = new Pulses({
    ...{ clock, find, list: async () => ids.map(address) },
    log: { info: () => undefined, error: (message) => writes.push(message) },
    ask({ id }, wait, signal) {
      calls.push(`${seconds()}: ${id} waits ${wait}`)
      return ask(id, wait, signal)
    },
    store(readings: readonly Reading[]) {
      const minutes = [...new Set(readings.map(({ at }) => (at - START) / 60))]
      writes.push(`${seconds()}: ${readings.map(({ server_id }) => server_id)} at ${minutes}`)
      return store()
    },
    async lost({ id }) {
      lost.push(`${seconds()}: ${id}`)
    },
    follow({ id }) {
      followed.push(id)
      return follow()
    },
    sync: ({ id }) => sync(id),
  })
  pulses.start()
  return { clock, pulses, writes, calls, followed, lost, held }
}
