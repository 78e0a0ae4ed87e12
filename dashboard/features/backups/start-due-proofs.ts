import { getSettings } from '#dashboard/features/settings/queries.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { type StartDeps, startOperation } from '#dashboard/kernel/engine/start-operation.ts'
import type { FleetSettings } from '#shared/settings/api/settings.ts'
import { listBusyServers } from './attempts.queries.ts'
import { findKit } from './kit.queries.ts'
import { listProvable } from './proof-due.queries.ts'
import { nextProof } from './proof-schedule.ts'
import { isStarted, listDue } from './start-due-backups.ts'

type Deps = StartDeps & Pick<CommonDeps, 'log'>

/** Starts due proofs after the backups, one on each server, and in the fleet as many as set. */
export async function startDueProofs(deps: Deps): Promise<void> {
  const { db, clock } = deps
  const settings = await getSettings(db)
  const { proof_every: every, backup_every, backup_window: window } = settings
  if (every === 'off') return
  const proving = await listBusyServers(db, 'backup.prove')
  let free = settings.proofs_at_once - proving.length
  if (free <= 0) return
  const now = clock.now()
  const sites = await listProvable(db, { every: backup_every, now })
  const due = sites.filter((site) => nextProof({ ...site, every, window }, now) <= now)
  if (due.length === 0) return
  const busy = new Set([...proving, ...(await serversWithBackups(deps, settings))])
  for (const site of due) {
    if (free <= 0) return
    const begin = (target: Parameters<typeof startOperation>[2]) =>
      startOperation(deps, 'backup.prove', target, {})
    if (busy.has(site.server_id) || !(await isStarted(deps, site, begin))) continue
    busy.add(site.server_id)
    free -= 1
  }
}

async function serversWithBackups(deps: Deps, settings: FleetSettings): Promise<number[]> {
  const possible_at = (await findKit(deps.db, { confirmed: true }))?.confirmed_at
  const due = possible_at ? await listDue(deps, settings, possible_at) : []
  return [
    ...(await listBusyServers(deps.db, 'backup.create')),
    ...due.map(({ server_id }) => server_id),
  ]
}
