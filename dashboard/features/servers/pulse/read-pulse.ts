import type { HealthReader } from '#dashboard/features/health/read-health.ts'
import { readSince } from '#dashboard/features/metrics/numbers/queries.ts'
import { updateNumbers } from '#dashboard/features/metrics/numbers/update.ts'
import type { Reading } from '#dashboard/features/metrics/queries.ts'
import { readChanges } from '#dashboard/features/servers/sync/read-changes.ts'
import { backgroundSync, type RunSyncDeps } from '#dashboard/features/servers/sync/run-sync.ts'
import type { ServerVersions } from '#dashboard/features/servers/sync/stored-versions.ts'
import type { ComparedChanges } from '#dashboard/features/servers/sync/sync-changed.ts'
import { hasOurProtocol } from '#dashboard/kernel/agents/protocol.ts'
import type { AgentAddress } from '#dashboard/kernel/agents/transport.ts'
import type { TimeLimits } from '#dashboard/kernel/runtime/time-limits.ts'
import type { PartVersions } from '#shared/servers/changes.ts'
import { metricsReading } from '#shared/servers/readings.ts'

/** The longest hold of a call, so that an agent that does not answer is noticed soon. */
const MAX_HOLD_S = 8
const EARLY_MS = 1_000

type Deps = RunSyncDeps & Pick<TimeLimits, 'late_ms'> & { health: HealthReader }

export interface PulseAnswer extends Omit<Reading, 'server_id' | 'at'> {
  /** The changes; absent when the agent has another protocol. */
  changes?: ComparedChanges
}

interface PulseOptions {
  /** How long the agent waits for a change of health, in seconds. */
  wait: number
  /** Whether the state is compared, too, which saves the next sync. */
  with_state: boolean
  signal: AbortSignal
}

/**
 * Calls one after the other until one is answered early, or the time of the last one is over. An agent
 * of another protocol answers without waiting, and with its metrics alone. Throws offline.
 */
export async function readPulse(
  deps: Deps,
  server: AgentAddress,
  { wait, with_state, signal }: PulseOptions,
): Promise<PulseAnswer> {
  const { agents, clock, stored, late_ms } = deps
  if (!hasOurProtocol(server)) return { metrics: await agents.call(server, metricsReading, {}) }
  const end = clock.elapsed() + wait * 1000
  for (;;) {
    const left = Math.max(0, Math.round((end - clock.elapsed()) / 1000))
    const hold = { wait: Math.min(left, MAX_HOLD_S), signal }
    const isLast = left <= MAX_HOLD_S
    const known = stored.of(server.id)
    const { health = '' } = known
    const since = isLast ? await requestOf(deps, server, known, with_state) : { health }
    const began = clock.elapsed()
    const timeout_ms = hold.wait * 1000 + late_ms
    const changes = await readChanges(deps, server, since, { ...hold, timeout_ms })
    const isEarly = clock.elapsed() - began < hold.wait * 1000 - EARLY_MS
    if (isLast || isEarly || changes.versions.health !== health)
      return answerOf(deps, { ...changes, known, since })
  }
}

function answerOf({ stored }: Deps, changes: ComparedChanges): PulseAnswer {
  const { metrics, versions, known, since, asked_at } = changes
  const isSame = since.state !== undefined && versions.state === since.state
  if (isSame) stored.see(known)
  return { metrics, synced_at: isSame ? asked_at : undefined, changes }
}

/** Returns what the last call asks for. The state is compared once it is stored. */
async function requestOf(
  { db }: Deps,
  { id }: AgentAddress,
  { health = '', numbers, state }: ServerVersions,
  with_state: boolean,
): Promise<PartVersions> {
  return {
    health,
    numbers: numbers ?? String(await readSince(db, id)),
    ...(with_state && state !== undefined && { state }),
  }
}

export async function storeChanges(deps: Deps, server: AgentAddress, { changes }: PulseAnswer) {
  if (!changes) return
  const { known, reader, since, versions } = changes
  const { health, numbers } = versions
  if (health && health !== since.health) {
    // Records may differ from what was stored of them.
    if (known.health === undefined) deps.health.forget(server.id)
    await deps.health.update(server, reader)
    known.health = health
  }
  const isCounted = numbers === since.numbers
  if (numbers && (isCounted || (await updateNumbers({ ...deps, agents: reader }, server))))
    known.numbers = numbers
}

/** Syncs a server with the state that its answer has, if that has changed. */
export async function syncState(deps: Deps, server: AgentAddress, { changes }: PulseAnswer) {
  const { since, versions } = changes ?? {}
  if (since?.state !== undefined && versions?.state && versions.state !== since.state)
    await backgroundSync(deps, server.id, changes)
}
