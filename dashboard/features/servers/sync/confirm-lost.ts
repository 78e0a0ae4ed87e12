import { findOnline } from '#dashboard/features/metrics/queries.ts'
import type { AgentAddress } from '#dashboard/kernel/agents/transport.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { getServer } from '#dashboard/kernel/db/targets.ts'
import { reasonOf } from '#dashboard/kernel/engine/failure-reason.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { answeredBy } from '#dashboard/kernel/trust/explain-certificate.ts'
import { findAgent } from '#dashboard/kernel/trust/queries.ts'
import { bodyOf, type ServiceError } from '#shared/kernel/errors.ts'
import { recordFailedContact } from './queries.ts'
import { backgroundSync, type RunSyncDeps } from './run-sync.ts'
import type { Contact } from './scheduler.ts'

export interface ContactDeps extends RunSyncDeps {
  /** Returns why no request can be sent to a server; undefined when one can, or it is not known. */
  findObstacle(to: AgentAddress): Promise<ServiceError | undefined>
}

/** The time after which a failure was noticed late: the next contact follows at once. */
const QUICK_MS = 1_500
const PAUSE_MS = 8_000

/**
 * Contacts an online server that has not answered until it answers or is offline, which takes three
 * failed contacts in a row: within 30 seconds of the moment when it stopped to answer. `error` is
 * that of the first one, unless that is recorded.
 */
export async function confirmLost(
  deps: ContactDeps,
  server_id: number,
  { error, signal }: { error?: ServiceError; signal?: AbortSignal } = {},
): Promise<void> {
  const { db, clock } = deps
  if (error && !signal?.aborted) await recordFailure(deps, server_id, error)
  let pause = error ? 0 : PAUSE_MS
  for (;;) {
    await clock.sleep(pause, signal)
    const server = await findOnline(db, server_id)
    if (!server || signal?.aborted) return
    const began = clock.elapsed()
    if (await hasAnswered(deps, server)) return
    pause = clock.elapsed() - began < QUICK_MS ? PAUSE_MS : 0
  }
}

/** Contacts a server once; a failed contact is recorded. */
async function hasAnswered(deps: ContactDeps, server: AgentAddress): Promise<boolean> {
  const obstacle = await deps.findObstacle(server)
  if (obstacle) await recordFailure(deps, server.id, obstacle)
  return obstacle === undefined && (await backgroundSync(deps, server.id))
}

async function recordFailure(deps: ContactDeps, id: number, error: ServiceError): Promise<void> {
  const server = await getServer(deps.db, id)
  await recordFailedContact(deps.db, server, reasonOf(bodyOf(error)), {
    now: timestamp(deps.clock),
    with_activity: true,
    answered_by: answeredBy(error),
  })
}

/**
 * Syncs a server in its turn. Of one that is not online, a connection is tried first, which costs
 * little; only a new reason is recorded.
 */
export async function syncOrProbe(deps: ContactDeps, server_id: number): Promise<Contact> {
  const server = await getServer(deps.db, server_id).catch(() => undefined)
  if (!server) return 'silent'
  const { status } = server
  const away = (await isExpected(deps, server)) ? 'offline' : status
  const unanswered = away === 'online' ? 'silent' : away
  const obstacle = status === 'online' ? undefined : await deps.findObstacle(server)
  if (obstacle) {
    const isNew = reasonOf(bodyOf(obstacle)) !== server.last_error
    if (isNew) await recordFailure(deps, server_id, obstacle)
    return unanswered
  }
  return (await backgroundSync(deps, server_id)) ? 'answered' : unanswered
}

/** Whether a failure is expected: an enrolled server has not answered yet. */
const isExpected = async ({ db }: ContactDeps, { id, status }: ServerRow): Promise<boolean> =>
  status === 'pending' && (await findAgent(db, id)) !== undefined
