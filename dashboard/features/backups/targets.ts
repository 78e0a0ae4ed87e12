import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { reportsOf } from '#dashboard/features/backups/keeper/reports.ts'
import { keeperView } from '#dashboard/features/backups/keeper/view.ts'
import { refuseOwnAccount } from '#dashboard/features/backups/own/account.ts'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { violatesUnique } from '#dashboard/kernel/db/violations.ts'
import { type Clock, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import type {
  BackupTargetView,
  CreateBackupTarget,
  UpdateBackupTarget,
} from '#shared/backups/api/backups.ts'
import { secretMistake } from '#shared/backups/backup-secret.ts'
import { conflict, invalid, notFound } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { refuseWeak } from './kit.ts'
import {
  deleteTarget,
  findDefaultTarget,
  findTarget,
  insertTarget,
  listTargets,
  type TargetRow,
  updateTarget,
} from './queries.ts'

export interface TargetDeps {
  db: Database
  clock: Clock
  sealer: Sealer
}

const PURPOSE = 'backup target'

export async function getTarget({ db }: Pick<TargetDeps, 'db'>, id: number): Promise<TargetRow> {
  const target = await findTarget(db, id)
  if (!target) throw notFound('Backup target')
  return target
}

export async function showTargets({
  db,
  clock,
}: Pick<TargetDeps, 'db' | 'clock'>): Promise<BackupTargetView[]> {
  const now = clock.now()
  const targets = await listTargets(db)
  const reportOf = await reportsOf(db)
  return targets.map((target) => {
    const report = reportOf(target)
    return { ...target, keeper: report && keeperView(report, now) }
  })
}

async function viewOf(
  { db, clock }: Pick<TargetDeps, 'db' | 'clock'>,
  id: number,
): Promise<BackupTargetView> {
  const view = (await showTargets({ db, clock })).find((target) => target.id === id)
  if (!view) throw notFound('Backup target')
  return view
}

/** Creates a target; the first one is the default. */
export async function createTarget(
  { db, clock, sealer }: TargetDeps,
  { name, place, secret, keeper_key }: z.output<typeof CreateBackupTarget>,
  user_id: number,
): Promise<BackupTargetView> {
  if (place.kind !== 'local' && secret === '') throw invalid({ secret: ['Is required'] })
  refuseWeak('keeper_key', keeper_key)
  await refuseOwnAccount({ db, sealer }, { place, secret })
  const created_at = timestamp(clock)
  const secret_sealed = sealer.seal(PURPOSE, new Secret(secret))
  const is_default = (await findDefaultTarget(db)) === undefined
  const values = { name, place, secret_sealed, is_default, keeper_key, created_at }
  const entry = entryOf(clock, { type: 'backup.target_create', user_id, created_at })
  await insertTarget(db, values, entry).catch(refuseTaken)
  const created = (await showTargets({ db, clock })).find((target) => target.name === name)
  if (!created) throw new Error('insert returned no row')
  return created
}

/**
 * Changes a target, which must be checked again. Another place needs the secret again: otherwise a
 * user who may change the address, but not see the secret, could send it to another server.
 */
export async function changeTarget(
  { db, clock, sealer }: TargetDeps,
  target: TargetRow,
  { name, place, secret, is_default, keeper_key }: z.output<typeof UpdateBackupTarget>,
  user_id: number,
): Promise<BackupTargetView> {
  refuseWeak('keeper_key', keeper_key)
  const { moves, access } = changedAccess(target, { place, secret })
  if (access) await refuseOwnAccount({ db, sealer }, access)
  const sealed = access && sealer.seal(PURPOSE, new Secret(access.secret))
  const values = {
    ...(name !== undefined && { name }),
    ...(moves && place && { place }),
    ...(sealed !== undefined && { secret_sealed: sealed, checked_at: null, append_only: null }),
    ...(is_default && { is_default }),
    ...(keeper_key !== undefined && { keeper_key }),
  }
  if (Object.keys(values).length === 0) return viewOf({ db, clock }, target.id)
  const entry = entryOf(clock, { type: 'backup.target_update', user_id })
  await updateTarget(db, target.id, values, entry).catch(refuseTaken)
  return viewOf({ db, clock }, target.id)
}

function refuseWrong({ kind }: TargetRow['place'], moves: boolean, secret?: string): void {
  if (kind === 'local' && secret === undefined) return
  if (moves && secret === undefined) {
    throw invalid({ secret: ['Is required, because the place has changed'] })
  }
  const mistake = secret === undefined ? undefined : secretMistake(kind, secret)
  if (mistake !== undefined) throw invalid({ secret: [mistake] })
  if (secret === '' && kind !== 'local') throw invalid({ secret: ['Is required'] })
}

/** Returns place and secret after a change; undefined when it changes neither. */
function changedAccess(
  target: TargetRow,
  { place, secret }: Pick<z.output<typeof UpdateBackupTarget>, 'place' | 'secret'>,
) {
  const moves = place !== undefined && !isDeepStrictEqual(place, target.place)
  refuseWrong(place ?? target.place, moves, secret)
  if (!moves && secret === undefined) return { moves, access: undefined }
  return { moves, access: { place: place ?? target.place, secret: secret ?? '' } }
}

/** Removes a target, which changes nothing in the storage. Throws 409 for one with backups. */
export async function removeTarget(
  { db, clock }: TargetDeps,
  { id, name }: TargetRow,
  user_id: number,
): Promise<void> {
  const { backups } = await viewOf({ db, clock }, id)
  if (backups > 0) throw conflict(`${name} has ${backups} backups, which could not be restored`)
  await deleteTarget(db, id, entryOf(clock, { type: 'backup.target_delete', user_id }))
}

/** Returns the params of a target for an agent: only `openTarget` opens the secret. */
export const sealedTarget = ({ id, place, secret_sealed }: TargetRow) => ({
  target_id: id,
  place,
  secret_sealed,
})

export const openTarget = (
  { place, secret_sealed }: Pick<TargetRow, 'place' | 'secret_sealed'>,
  sealer: Pick<Sealer, 'open'> | undefined,
) => ({ place, secret: sealer ? sealer.open(PURPOSE, secret_sealed).reveal() : '' })

function refuseTaken(error: unknown): never {
  if (!violatesUnique(error, 'backup_targets.name')) throw error
  throw invalid({ name: ['The name is already taken'] })
}
