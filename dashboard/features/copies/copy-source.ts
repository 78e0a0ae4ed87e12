import { z } from 'zod'
import { backupParams, createParams, paramsForAgent } from '#dashboard/features/backups/params.ts'
import { findBackupById } from '#dashboard/features/backups/queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import type { OperationRules, RulesDeps, StoredSource } from '#dashboard/kernel/engine/rules.ts'
import type { CloneOf } from '#shared/copies/site.clone.ts'
import { conflict, invalid } from '#shared/kernel/errors.ts'
import type { OperationType } from '#shared/operation-types.ts'
import { findCopy, findSiteById, namesOfSource } from './queries.ts'

/** The stored params of a copy; those of a backup are sealed. */
const StoredCopy = z.looseObject({
  from: z.looseObject({ kind: z.enum(['site', 'backup', 'next_backup']) }),
})

/** Returns the params of a copy for the agent. */
export const copyParamsForAgent: OperationRules<OperationType>['sent'] = (
  params,
  sealer,
  with_password,
) => {
  const { from, ...site } = StoredCopy.parse(params)
  const isBackup = from.kind === 'backup'
  return { ...site, from: isBackup ? paramsForAgent(from, sealer, with_password) : from }
}

/** Names what a retry of a copy copies again: it needs the right on that, too. */
export const retriedSource: NonNullable<OperationRules<OperationType>['retry_also']> = (
  { db },
  { server_id, params },
) => namesOfSource(db, server_id, StoredCopy.parse(params).from as StoredSource)

/** Names the staging site that a retry of a comparison or a push reads again. */
export const retriedStaging: NonNullable<OperationRules<OperationType>['retry_also']> = (
  { db },
  { server_id, params },
) => namesOfSource(db, server_id, { kind: 'site', domain: String(params.from) })

interface CopySource {
  /** The params for the agent, with sealed secrets. */
  from: StoredSource
  domain: string
  original: SiteRow | undefined
}

/**
 * Returns the source of a copy. Throws 422 for an unknown one, and 409 for one that is not in use,
 * or on another server and not backed up.
 */
export async function sourceOf(
  deps: Pick<RulesDeps, 'db' | 'sealer'>,
  server_id: number,
  from: CloneOf,
): Promise<CopySource> {
  if (from.kind === 'backup') {
    const backup = await findBackupById(deps.db, from.backup_id)
    if (!backup) throw invalid({ from: ['Is not a backup'] })
    const original =
      backup.site_id === null ? undefined : await findSiteById(deps.db, backup.site_id)
    return {
      from: { kind: 'backup', ...(await backupParams(deps, backup)) },
      domain: backup.domain,
      original,
    }
  }
  const original = await findSiteById(deps.db, from.site_id)
  if (!original || original.found) throw invalid({ from: ['Is not a site of this dashboard'] })
  const { domain, status } = original
  if (status !== 'active' && status !== 'suspended') throw conflict(`${domain} is not in use`)
  if (original.server_id === server_id) return { from: { kind: 'site', domain }, domain, original }
  // Refuses now what the backup would refuse later.
  await createParams(deps, original, undefined)
  return { from: { kind: 'next_backup', site_id: original.id }, domain, original }
}

/** Returns the live site of a staging site. Throws 409 for any other site, or without it. */
export async function liveSiteOf(db: Database, staging_id: number): Promise<number> {
  const copy = await findCopy(db, staging_id)
  if (copy?.staging) return copy.original_id
  throw conflict('It is not the staging site of a recorded site')
}

/** Returns the domain of a staging site of a live site. Throws 422 for any other one. */
export async function stagingDomainOf(
  db: Database,
  live_id: number,
  staging_id: number,
): Promise<string> {
  const copy = await findCopy(db, staging_id)
  const staging = await findSiteById(db, staging_id)
  if (!copy?.staging || copy.original_id !== live_id || !staging) {
    throw invalid({ staging_id: ['Is not a staging site of this site'] })
  }
  const live = await findSiteById(db, live_id)
  if (staging.server_id === live?.server_id) return staging.domain
  throw conflict(
    `${staging.domain} is on another server than its live site: move it there to compare or push it`,
  )
}
