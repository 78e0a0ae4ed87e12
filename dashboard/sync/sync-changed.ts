import { hasOurProtocol } from '#dashboard/agents/protocol.ts'
import type { ServerRow } from '#dashboard/db/rows.ts'
import { MINUTE } from '#dashboard/metrics/key.ts'
import type { ReadingQueue } from '#dashboard/metrics/reading-queue.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import type { Metrics, State } from '#shared/agent.ts'
import { type KnownStates, WHOLE, WHOLE_OF_LISTS } from './known-states.ts'
import { readState } from './read-state.ts'
import { type SyncDeps, syncServer } from './sync-server.ts'

export interface SyncChangedDeps extends SyncDeps {
  states: KnownStates
  readings: Pick<ReadingQueue, 'add'>
}

/** One call while the state of the server is that of its last sync without a change; otherwise a whole sync. */
export async function syncChanged(deps: SyncChangedDeps, server: ServerRow): Promise<void> {
  const { states } = deps
  const finish = states.begin(server.id)
  const state = await stateOf(deps, server)
  if (state && states.see(server.id, state.version))
    return recordContact(deps, server, state.metrics)
  const { changed } = await resultOf(
    syncServer(deps, server, { with_activity: true, metrics: state?.metrics }),
  )
  const whole = state && !hasOurProtocol(state) ? WHOLE_OF_LISTS : WHOLE
  finish(changed ? null : (state?.version ?? null), whole)
}

async function resultOf<R>(work: AsyncGenerator<unknown, R>): Promise<R> {
  let step = await work.next()
  while (!step.done) step = await work.next()
  return step.value
}

/** Only of a server that answered last time: a whole sync records whether another one answers. */
function stateOf(deps: SyncChangedDeps, server: ServerRow): Promise<State | undefined> {
  if (server.status !== 'online' || server.failures > 0) return Promise.resolve(undefined)
  return readState(deps, server).catch(() => undefined)
}

function recordContact(
  { readings, clock }: SyncChangedDeps,
  { id: server_id }: ServerRow,
  metrics: Metrics,
): Promise<void> {
  const synced_at = timestamp(clock)
  const at = Math.floor(Date.parse(synced_at) / 1000 / MINUTE) * MINUTE
  return readings.add({ server_id, at, metrics, synced_at })
}
