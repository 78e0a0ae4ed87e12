import { confirmedKit, openWith } from '#dashboard/features/backups/kit.ts'
import { passwordIdOf, unknownTarget } from '#dashboard/features/backups/params.ts'
import { findTarget } from '#dashboard/features/backups/queries.ts'
import { recordServer } from '#dashboard/features/backups/repositories.queries.ts'
import { openTarget } from '#dashboard/features/backups/targets.ts'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { lacksPassword } from '#dashboard/kernel/agents/agent-errors.ts'
import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { type Clock, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import type { AdoptedBackups } from '#shared/backups/api/backup-found.ts'
import { invalid } from '#shared/kernel/errors.ts'
import { listAllBackups } from './list-all-backups.ts'
import { findOwner, recordAdoption } from './queries.ts'

interface RepositoryAdoption {
  target_id: number
  repository: string
  sealed_passwords: readonly string[]
}

/**
 * Records the backups of a repository that another dashboard made, and its password. A server lists
 * them. A repeated call leaves recorded backups as they are. Throws 422 for passwords that are not
 * encrypted to the key of this dashboard, and 409 if none opens the repository.
 */
export async function adoptBackups(
  deps: { db: Database; clock: Clock; sealer: Sealer; agents: Agents },
  server: ServerRow,
  { target_id, repository, sealed_passwords }: RepositoryAdoption,
  user_id: number,
): Promise<AdoptedBackups> {
  const { db, sealer, agents, clock } = deps
  const target = await findTarget(db, target_id)
  if (!target) throw unknownTarget()
  const kit = await confirmedKit({ db })
  const passwords = sealed_passwords.map((sealed) => {
    try {
      return openWith(kit, sealer, sealed).reveal()
    } catch {
      throw invalid({ sealed_passwords: ['Must be encrypted to the key of this dashboard'] })
    }
  })
  // They were known before this dashboard, and this server has them, or gets them now.
  await recordServer(db, { target_id, name: repository }, server.id)
  const asked_at = timestamp(clock)
  const password_ids = passwords.map(passwordIdOf)
  const request = { target: openTarget(target, sealer), repository, password_ids }
  const listed = await listAllBackups(agents, server, request).catch((error: unknown) => {
    if (!lacksPassword(error)) throw error
    return listAllBackups(agents, server, { ...request, passwords })
  })
  const sealed_password = sealed_passwords[listed.password]
  const now = timestamp(clock)
  const [newest] = listed.backups
  if (sealed_password === undefined || !newest) throw new Error('the agent listed no backup')
  const { domain } = listed
  const known = { target_id, name: repository, kit_id: kit.id, sealed_password }
  const site = await findOwner(db, { target_id, name: repository, domain })
  const entry = entryOf(clock, { type: 'backup.adopt', domain, user_id })
  const listing = { target_id, repository, listed, now, asked_at, ...(site && { site }) }
  const added = await recordAdoption(db, { repository: known, listing, entry })
  return {
    repository,
    domain,
    backups: listed.backups.length,
    added,
    last_at: newestOf(listed.backups, now),
  }
}

/** Returns the time of the newest backup that is not dated in the future, or else `now`. */
const newestOf = (backups: readonly { at: string }[], now: string): string =>
  backups.find(({ at }) => at <= now)?.at ?? now
