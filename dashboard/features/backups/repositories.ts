import { z } from 'zod'
import { isHalfMade } from '#dashboard/kernel/agents/agent-errors.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { violatesUnique } from '#dashboard/kernel/db/violations.ts'
import type { RulesDeps } from '#dashboard/kernel/engine/rules.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { nextRepository } from './next-repository.ts'
import { passwordIn } from './params.ts'
import {
  abandonRepository,
  findOwner,
  recordServer,
  reserveRepository,
  storeUnsentParams,
} from './repositories.queries.ts'

/**
 * Sends an operation. A backup gets the name of the repository as it is now, which is recorded
 * before it is sent. If the creation of that repository was interrupted, the backup goes to a new
 * one.
 */
export async function sendWithRepository<R>(
  deps: Pick<RulesDeps, 'db' | 'sealer'>,
  operation: OperationRow,
  send: (operation: OperationRow) => Promise<R>,
): Promise<R> {
  const chosen = await withRepository(deps, operation)
  try {
    return await send(chosen)
  } catch (error) {
    const { data } = BackupIntoRepository.safeParse(chosen)
    if (!data || !isHalfMade(error)) throw error
    const { target_id, repository: name } = data.params
    await abandonRepository(deps.db, { target_id, name })
    return send(await withRepository(deps, operation))
  }
}

const BackupIntoRepository = z.object({
  type: z.literal('backup.create'),
  params: z.object({ target_id: z.number(), repository: z.string() }),
})

async function withRepository(
  deps: Pick<RulesDeps, 'db' | 'sealer'>,
  operation: OperationRow,
): Promise<OperationRow> {
  const { db } = deps
  const { data } = UnsentBackup.safeParse(operation)
  if (!data) return operation
  const { target_id, kit_id } = data.params
  const site = await findOwner(db, data.site_id)
  if (!site || site.server_id !== operation.server_id) {
    throw conflict(`${operation.domain} is not on this server any more`)
  }
  const { name, is_new, sealed_password } = await nextRepository(db, site, target_id)
  const place = { target_id, name }
  if (is_new) await reserveName(db, { ...place, kit_id, site_id: site.id }, site.server_id)
  else await recordServer(db, place, site.server_id)
  const password = sealed_password === null ? undefined : await passwordIn(deps, place, site.id)
  const { password_sealed: _, password_id: __, ...rest } = operation.params
  const params = { ...rest, repository: name, ...password }
  await storeUnsentParams(db, operation.id, params)
  return { ...operation, params }
}

/** A backup that was not sent yet. */
const UnsentBackup = z.object({
  type: z.literal('backup.create'),
  site_id: z.number(),
  sent_at: z.null(),
  params: z.object({ target_id: z.number(), kit_id: z.number() }),
})

async function reserveName(
  db: Database,
  repository: { target_id: number; name: string; kit_id: number; site_id: number },
  server_id: number,
): Promise<void> {
  await reserveRepository(db, repository, server_id).catch((error: unknown) => {
    if (!violatesUnique(error, 'backup_repositories.')) throw error
    throw conflict('Another backup has begun a repository of this name: try again')
  })
}
