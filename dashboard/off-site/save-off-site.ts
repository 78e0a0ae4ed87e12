import { access, constants, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Database } from '#dashboard/db/client.ts'
import { type Clock, timestamp } from '#dashboard/runtime/clock.ts'
import type { Log } from '#dashboard/runtime/log.ts'
import type { Random } from '#dashboard/runtime/random.ts'
import { findKit, getKit, type KitRow } from '#dashboard/site-backups/kit.queries.ts'
import { openWith, sealTo } from '#dashboard/site-backups/kit.ts'
import {
  findDefaultTarget,
  findRepository,
  type TargetRow,
} from '#dashboard/site-backups/queries.ts'
import { openTarget } from '#dashboard/site-backups/targets.ts'
import type { Sealer } from '#dashboard/trust/seal.ts'
import { messageOf } from '#shared/errors.ts'
import { Secret } from '#shared/secret.ts'
import { providedRestic } from './program.ts'
import { NAME, prepare, save, withRestic } from './repository.ts'
import { obstacleOf, refusalOf } from './request.ts'
import {
  endRequest,
  findOffSite,
  findRequest,
  insertRepository,
  setOffSite,
} from './state.queries.ts'

export interface OffSiteDeps {
  db: Database
  clock: Clock
  random: Random
  sealer: Sealer
  log: Log
  data_dir: string
  /** A restic without progress is ended after this. */
  stall_ms: number
  /** Writes a backup with all secrets of the dashboard to a file. */
  backUp(path: string): Promise<void>
}

const HOUR_MS = 3600_000
const EVERY_MS = 23 * HOUR_MS
const RETRY_MS = HOUR_MS
const PASSWORD_BYTES = 36

/**
 * Saves the dashboard's own records in the default target once a day and on request, as soon as there
 * is a confirmed kit and a checked target. Never throws: the dashboard runs without it.
 */
export async function saveOffSite(deps: OffSiteDeps): Promise<void> {
  const { db, clock, log } = deps
  const kit = await findKit(db, { confirmed: true })
  const target = await findDefaultTarget(db)
  const before = await findOffSite(db)
  const requested = await findRequest(db)
  if (!kit || !target || target.checked_at === null) return refuse(deps, target, requested)
  const pause = before?.error === null ? EVERY_MS : RETRY_MS
  if (!requested && before && before.tried_at > timestamp(clock, -pause)) return
  try {
    const snapshot = await saved(deps, kit, target)
    const now = timestamp(clock)
    await setOffSite(db, { tried_at: now, error: null, saved_at: now })
    log.info('records saved in the backup target', { target: target.name, snapshot })
  } catch (error) {
    const saved_at = before?.saved_at ?? null
    await setOffSite(db, { tried_at: timestamp(clock), error: messageOf(error), saved_at })
    log.error('the records could not be saved in the backup target', error)
  }
  if (requested) await endRequest(db, requested)
}

/** A request may wait while its target is removed or changed: it has failed then. */
async function refuse(
  { db, clock, log }: OffSiteDeps,
  target: TargetRow | undefined,
  requested: string | undefined,
): Promise<void> {
  if (!requested) return
  const error = refusalOf((await obstacleOf(db, target)) ?? 'the target was changed, try again')
  const saved_at = (await findOffSite(db))?.saved_at ?? null
  await setOffSite(db, { tried_at: timestamp(clock), error, saved_at, not_ready: true })
  await endRequest(db, requested)
  log.error('the requested backup of the records could not start', new Error(error))
}

async function saved(deps: OffSiteDeps, kit: KitRow, target: TargetRow): Promise<string> {
  const { data_dir, sealer, stall_ms } = deps
  const { place, secret } = openTarget(target, sealer)
  if (place.kind === 'local') await refuseUnwritable(place.path)
  const opened = {
    program: await providedRestic(data_dir),
    folder: resolve(data_dir, 'off-site'),
    target: { place, secret: new Secret(secret) },
    password: await passwordFor(deps, kit, target.id),
    stall_ms,
  }
  const archive = `${data_dir}/off-site.tar`
  await rm(archive, { force: true })
  try {
    await deps.backUp(archive)
    return await withRestic(opened, async (restic) => {
      await prepare(restic, opened, { recovery: kit.recovery_key, keeper: target.keeper_key })
      return save(restic, archive)
    })
  } finally {
    await rm(archive, { force: true })
  }
}

/** Recorded before it is used: a repository whose password is lost could not be used again. */
async function passwordFor(
  { db, random, sealer }: OffSiteDeps,
  kit: KitRow,
  target_id: number,
): Promise<Secret> {
  const known = await findRepository(db, target_id, NAME)
  if (known) return openWith(await getKit(db, known.kit_id), sealer, known.sealed_password)
  const password = new Secret(Buffer.from(random(PASSWORD_BYTES)).toString('hex').slice(0, 48))
  const sealed_password = sealTo(kit.dashboard_key, password)
  await insertRepository(db, { target_id, name: NAME, kit_id: kit.id, sealed_password })
  return password
}

/** A folder of each server is seldom one of this machine, too. */
async function refuseUnwritable(path: string): Promise<void> {
  await access(path, constants.W_OK).catch(() => {
    throw new Error(
      `The dashboard cannot write to ${path} on its own machine: make a REST, S3 or SFTP target the default one`,
    )
  })
}
