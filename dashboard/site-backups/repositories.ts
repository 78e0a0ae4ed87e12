import { z } from 'zod'
import type { Base } from '#dashboard/db/base.ts'
import type { Database } from '#dashboard/db/client.ts'
import type { OperationRow } from '#dashboard/db/rows.ts'
import { violatesUnique } from '#dashboard/db/violations.ts'
import { findOperation } from '#dashboard/operations/queries.ts'
import { retryOperation } from '#dashboard/operations/retry-operation.ts'
import type { RulesDeps } from '#dashboard/operations/rules.ts'
import type { StartDeps } from '#dashboard/operations/start.ts'
import { conflict } from '#shared/errors.ts'
import { nextRepository } from './next-repository.ts'
import { passwordIn } from './params.ts'
import {
  findOwner,
  keepsPassword,
  recordKnowing,
  recordLoss,
  reserveRepository,
  storeParams,
} from './repositories.queries.ts'

/** The operation with the name of the repository as it is now, which is recorded before it is sent. */
export async function withRepository(
  deps: Pick<RulesDeps, 'db' | 'sealer'>,
  operation: OperationRow,
): Promise<OperationRow> {
  const { db } = deps
  const { data } = Chosen.safeParse(operation)
  if (!data) return operation
  const { target_id, kit_id } = data.params
  const site = await findOwner(db, data.site_id)
  if (!site || site.server_id !== operation.server_id) {
    throw conflict(`${operation.domain} is not on this server any more`)
  }
  const { name, is_new, sealed_password } = await nextRepository(db, site, target_id)
  const place = { target_id, name }
  if (is_new) await reserve(db, { ...place, kit_id, site_id: site.id }, site.server_id)
  else await recordKnowing(db, place, site.server_id)
  const isNeeded = sealed_password !== null && !(await keepsPassword(db, place, site.server_id))
  const password_sealed = isNeeded ? await passwordIn(deps, place, site.id) : undefined
  const { password_sealed: _, ...rest } = operation.params
  const params = {
    ...rest,
    repository: name,
    is_begun: sealed_password !== null,
    ...(password_sealed !== undefined && { password_sealed }),
  }
  await storeParams(db, operation.id, params)
  return { ...operation, params }
}

/** A backup that was not sent yet. */
const Chosen = z.object({
  type: z.literal('backup.create'),
  site_id: z.number(),
  sent_at: z.null(),
  params: z.object({ target_id: z.number(), kit_id: z.number() }),
})

async function reserve(
  db: Database,
  repository: { target_id: number; name: string; kit_id: number; site_id: number },
  server_id: number,
): Promise<void> {
  await reserveRepository(db, repository, server_id).catch((error: unknown) => {
    if (!violatesUnique(error, 'backup_repositories.')) throw error
    throw conflict('Another backup has begun a repository of this name: try again')
  })
}

const Sent = z.looseObject({
  target_id: z.number(),
  repository: z.string(),
  password_sealed: z.string().optional(),
})

/**
 * Repeats a backup on a server that has lost the password of the repository, with the password: the
 * site is on this server by the records of the dashboard. Never throws.
 */
export async function repeatWithPassword(
  deps: StartDeps & Pick<Base, 'log'>,
  operation_id: string,
): Promise<void> {
  await repeat(deps, operation_id).catch((error: unknown) =>
    deps.log.error('a backup could not be repeated', error, { operation_id }),
  )
}

async function repeat(deps: StartDeps, operation_id: string): Promise<void> {
  const operation = await findOperation(deps.db, operation_id)
  if (operation?.type !== 'backup.create' || operation.error?.code !== 'password_missing') return
  const { data } = Sent.safeParse(operation.params)
  if (!data || data.password_sealed !== undefined) return
  const { target_id, repository: name } = data
  await recordLoss(deps.db, { target_id, name }, operation.server_id)
  await retryOperation(deps, operation_id, { actor: operation.actor, without_backup: false })
}
