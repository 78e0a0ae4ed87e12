import { type StartDeps, startOperation } from '#dashboard/kernel/engine/start-operation.ts'
import { isServiceError } from '#dashboard/kernel/runtime/error-code.ts'
import { listToEnd } from './end-access.queries.ts'

export const END_ACCESS_MS = 60_000
/** The time after which a server is asked again that has refused the change, or did not answer. */
const RETRY_MS = 15 * 60_000

/**
 * Ends the access of people whose account was deactivated or removed, on every server that is online
 * and site that nothing else changes. What is left follows with the next call.
 */
export async function endDueAccess(deps: StartDeps): Promise<void> {
  const now = deps.clock.now()
  await start(deps, await listToEnd(deps.db, { now, retry_ms: RETRY_MS }), null)
}

/** Ends the access of one person to all sites at once, as work of the user with the id `actor`. */
export async function endAccessOf(
  deps: StartDeps,
  person_id: number,
  actor: number,
): Promise<void> {
  const now = deps.clock.now()
  await start(deps, await listToEnd(deps.db, { now, retry_ms: 0, person_id }), actor)
}

type Targets = Awaited<ReturnType<typeof listToEnd>>

async function start(deps: StartDeps, targets: Targets, actor: number | null): Promise<void> {
  for (const target of targets)
    await startOperation(deps, 'site.access', { ...target, actor }, { install: false }).catch(
      (error: unknown) => {
        // Something else began to change the site.
        if (!isServiceError(error, 'conflict')) throw error
      },
    )
}
