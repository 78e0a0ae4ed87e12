import { and, asc, eq, sql } from 'drizzle-orm'
import { backup_proofs, backup_settings, backups } from '#dashboard/kernel/db/backup-schema.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { isOnServers } from '#dashboard/kernel/db/server-sites.ts'
import { isVisibleSite } from '#dashboard/kernel/http/visible.queries.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'
import {
  type CoverageMoment,
  conditionsAt,
  isCovered,
  lastProofId,
  provenAt,
} from './coverage.queries.ts'

export type ProofState = 'failed' | 'unproven'

/** Lists the visible sites of these servers in this state, the longest without a proven backup first. */
export function listByProof(
  db: Database,
  {
    state,
    limit,
    server_ids,
    visible,
    ...moment
  }: CoverageMoment & {
    state: ProofState
    limit: number
    server_ids: readonly number[]
    visible?: Visible | undefined
  },
) {
  return db.read
    .select({
      id: sites.id,
      server_id: sites.server_id,
      domain: sites.domain,
      proven_at: provenAt,
      proof_at: backup_proofs.recorded_at,
      backup_at: backups.at,
      findings: backup_proofs.findings,
      total: sql<number>`count(*) over ()`,
    })
    .from(sites)
    .leftJoin(backup_settings, eq(backup_settings.site_id, sites.id))
    .leftJoin(backup_proofs, eq(backup_proofs.id, lastProofId))
    .leftJoin(backups, eq(backups.id, backup_proofs.backup_id))
    .where(
      and(
        isCovered,
        isOnServers(server_ids),
        isVisibleSite(visible),
        isProofCandidate(state),
        sql`${conditionsAt(moment).state} = ${state}`,
      ),
    )
    .orderBy(asc(provenAt), asc(sites.id))
    .limit(limit)
}

/** A cheap condition that each site in this state fulfils: the state itself needs four queries. */
const isProofCandidate = (state: ProofState) =>
  state === 'failed'
    ? sql`exists (select 1 from backup_proofs where site_id = sites.id and proven = 0)`
    : sql`exists (select 1 from backups where site_id = sites.id)`
