import { MINUTE } from '#dashboard/features/metrics/key.ts'
import type { ReadingQueue } from '#dashboard/features/metrics/reading-queue.ts'
import { hasOurProtocol } from '#dashboard/kernel/agents/protocol.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { TimeLimits } from '#dashboard/kernel/runtime/time-limits.ts'
import type { Metrics } from '#shared/servers/agent.ts'
import type { PartVersions } from '#shared/servers/changes.ts'
import { compareLists, readChanges, type ServerChanges } from './read-changes.ts'
import type { ServerVersions, StoredVersions } from './stored-versions.ts'
import { type SyncDeps, syncServer } from './sync-server.ts'

export interface SyncChangedDeps extends SyncDeps, Pick<TimeLimits, 'contact_ms'> {
  stored: StoredVersions
  readings: Pick<ReadingQueue, 'add'>
}

/** The changes of a server, and what was stored of it when they were asked for. */
export interface ComparedChanges extends ServerChanges {
  known: ServerVersions
  since: PartVersions
}

/**
 * Makes one call, which returns what has changed. `compared` is an answer that was there already,
 * and that is too old if the records of the server have changed since.
 */
export async function syncChanged(
  deps: SyncChangedDeps,
  server: ServerRow,
  compared?: ComparedChanges,
): Promise<void> {
  const { stored } = deps
  const known = stored.of(server.id, !hasOurProtocol(server))
  const isRecent = compared?.known === known && compared.since.state === known.state
  const changes = isRecent ? compared : await contact(deps, server, known)
  if (changes?.versions.state && changes.versions.state === known.state) {
    stored.see(known)
    return recordContact(deps, server, changes.metrics)
  }
  // A sync that fails may have recorded a part of another state.
  known.state = undefined
  const synced = await resultOf(syncServer(deps, server, { with_activity: true, changes }))
  // Changed records change again with the next sync, and need the other parts.
  if (synced.changed || synced.state === null) stored.forget(server.id)
  else if (stored.isCurrent(server.id, known)) stored.see(known, synced.state)
}

async function resultOf<R>(work: AsyncGenerator<unknown, R>): Promise<R> {
  let step = await work.next()
  while (!step.done) step = await work.next()
  return step.value
}

/** Compares the state of a server that answered last time; others need a whole sync. */
async function contact(deps: SyncChangedDeps, server: ServerRow, known: ServerVersions) {
  if (server.status !== 'online' || server.failures > 0) return undefined
  const since = { state: known.state ?? '' }
  const changes = hasOurProtocol(server)
    ? readChanges(deps, server, since, { timeout_ms: deps.contact_ms })
    : compareLists(deps, server, known)
  return changes.catch(() => undefined)
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
