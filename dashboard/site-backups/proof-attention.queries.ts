import { and, asc, eq, sql } from 'drizzle-orm'
import { backup_proofs, backup_settings, backups } from '#dashboard/db/backup-schema.ts'
import type { Database } from '#dashboard/db/client.ts'
import { sites } from '#dashboard/db/schema.ts'
import { conditionsAt, isCovered, lastProofId, type Moment, provenAt } from './coverage.queries.ts'

/** Sites in this state, with their last proof; the longest without a proven backup first. */
export function listByProof(
  db: Database,
  { state, limit, ...moment }: Moment & { state: 'failed' | 'unproven'; limit: number },
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
    .where(and(isCovered, isCandidate(state), sql`${conditionsAt(moment).state} = ${state}`))
    .orderBy(asc(provenAt), asc(sites.id))
    .limit(limit)
}

/** Cheap, and true for each site in this state: the state itself needs four queries for each site. */
const isCandidate = (state: 'failed' | 'unproven') =>
  state === 'failed'
    ? sql`${sites.id} in (select site_id from backup_proofs where proven = 0)`
    : sql`${sites.id} in (select site_id from backups)`
