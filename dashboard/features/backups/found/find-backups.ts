import { confirmedKit } from '#dashboard/features/backups/kit.ts'
import { unknownTarget } from '#dashboard/features/backups/params.ts'
import { findTarget } from '#dashboard/features/backups/queries.ts'
import { openTarget } from '#dashboard/features/backups/targets.ts'
import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import type { FoundBackups } from '#shared/backups/api/backup-found.ts'
import { repositoriesReading } from '#shared/backups/readings.ts'
import { countRecorded } from './queries.ts'

interface RepositorySearch {
  target_id: number
  repositories: string[] | null
  after: string
}

/**
 * Finds the repositories in a target, whichever dashboard made them, and their passwords as
 * recovery kits open them. A server reads the storage. Throws 409 without a confirmed kit, and for
 * what the storage refuses.
 */
export async function findBackups(
  deps: { db: Database; sealer: Sealer; agents: Agents },
  server: ServerRow,
  { target_id, repositories: named, after }: RepositorySearch,
): Promise<FoundBackups> {
  const target = await findTarget(deps.db, target_id)
  if (!target) throw unknownTarget()
  const { dashboard_key } = await confirmedKit(deps)
  const body = { target: openTarget(target, deps.sealer), repositories: named, after }
  const found = await deps.agents.call(server, repositoriesReading, body)
  const known = await countRecorded(deps.db, target_id)
  const repositories = found.repositories.map(({ name, keys }) => ({
    name,
    keys,
    backups: known.get(name) ?? 0,
  }))
  const { is_listed, next, unnamed } = found
  return { is_listed, dashboard_key, repositories, next, unnamed }
}
