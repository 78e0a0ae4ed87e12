import { access, constants, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { findKit, getKit, type KitRow } from '#dashboard/features/backups/kit.queries.ts'
import { openWith, sealTo } from '#dashboard/features/backups/kit.ts'
import { openOwnTarget } from '#dashboard/features/backups/own/account.ts'
import { isSameStorage, withUserOf } from '#dashboard/features/backups/own/address.ts'
import {
  findOwnTarget,
  listSealedTargets,
  type OwnTarget,
} from '#dashboard/features/backups/own/queries.ts'
import { findRecovery } from '#dashboard/features/backups/recovery-file.ts'
import { openTarget } from '#dashboard/features/backups/targets.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { type Clock, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { Log } from '#dashboard/kernel/runtime/log.ts'
import type { Random } from '#dashboard/kernel/runtime/random.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import type { BackupPlace } from '#shared/backups/backup.ts'
import { isDue } from '#shared/kernel/age.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { confinedRestic } from './confined-programs.ts'
import { providedRestic } from './provide-restic.ts'
import { lacksKey, savedKey } from './release-key.ts'
import {
  type OpenRepository,
  prepareRepository,
  saveArchive,
  tryWriting,
  withRestic,
} from './repository.ts'
import { obstacleOf, refusalOf } from './request.ts'
import {
  endRequest,
  findOffSite,
  findRequest,
  findSealed,
  type Request,
  type SealedFiles,
  setOffSite,
} from './state.queries.ts'
import { findOwnRepository, insertOwnRepository, setChecked } from './target.queries.ts'

export interface OffSiteDeps {
  db: Database
  clock: Clock
  random: Random
  sealer: Sealer
  log: Log
  data_dir: string
  /** A restic without progress is ended after this. */
  stall_ms: number
  backUp(path: string): Promise<void>
}

const HOUR_MS = 3600_000
const EVERY_MS = 23 * HOUR_MS
const RETRY_MS = HOUR_MS
const PASSWORD_BYTES = 36

/**
 * Saves the dashboard's own records in their target once a day and on request, as soon as there is a
 * confirmed kit. Before each backup the target is checked: no account of a target of sites may read
 * it. Never throws: the dashboard runs without it.
 */
export async function saveOffSite(deps: OffSiteDeps): Promise<void> {
  const { db, clock, log } = deps
  const kit = await findKit(db, { confirmed: true })
  const target = await findOwnTarget(db)
  const before = await findOffSite(db)
  const request = await findRequest(db)
  if (!kit || !target) return endRefusedRequest(deps, request)
  if (!request && !isSaveDue(before, await findSealed(db), clock)) return
  const saved_at = before?.saved_at ?? null
  const header = (await findRecovery(deps.data_dir))?.header
  try {
    const snapshot = await saveNow(deps, kit, target, request?.only_check ?? false)
    const now = timestamp(clock)
    await setChecked(db, target, now)
    const done = snapshot
      ? { saved_at: now, release_key: savedKey(header, before, now) }
      : { saved_at, release_key: before?.release_key }
    await setOffSite(db, { tried_at: now, error: null, ...done })
    if (snapshot) log.info('records saved in the target of the dashboard', { snapshot })
  } catch (error) {
    await setChecked(db, target, null)
    const failed = { tried_at: timestamp(clock), error: messageOf(error) }
    await setOffSite(db, { saved_at, release_key: before?.release_key, ...failed })
    log.error('the records could not be saved in the target of the dashboard', error)
  }
  if (request) await endRequest(db, request)
}

/** Whether a backup is due. A failed one is repeated sooner; a check alone is none. */
function isSaveDue(
  before: Awaited<ReturnType<typeof findOffSite>>,
  sealed: SealedFiles | undefined,
  clock: Clock,
): boolean {
  if (!before) return true
  const now = clock.now()
  if (before.error !== null) return isDue(before.tried_at, RETRY_MS, now)
  if (lacksKey(sealed, before)) return true
  return isDue(before.saved_at, EVERY_MS, now)
}

async function endRefusedRequest({ db, clock, log }: OffSiteDeps, request: Request | undefined) {
  if (!request) return
  const obstacle = await obstacleOf(db, await findOwnTarget(db))
  const error = refusalOf(obstacle ?? 'the target was changed, try again')
  const { saved_at = null, release_key } = (await findOffSite(db)) ?? {}
  const failed = { tried_at: timestamp(clock), error, not_ready: true }
  await setOffSite(db, { saved_at, release_key, ...failed })
  await endRequest(db, request)
  log.error('the requested backup of the records could not start', new Error(error))
}

/** Saves the records and returns the id of the snapshot; undefined after a check alone. */
async function saveNow(
  deps: OffSiteDeps,
  kit: KitRow,
  own: OwnTarget,
  only_check: boolean,
): Promise<string | undefined> {
  const { data_dir, sealer, stall_ms } = deps
  const target = openOwnTarget(own, sealer)
  if (target.place.kind === 'local') await refuseUnusable(target.place.path, resolve(data_dir))
  const program = await providedRestic(data_dir)
  const opened: OpenRepository = {
    start: (view) => confinedRestic(program, view),
    folder: resolve(data_dir, 'off-site'),
    target,
    password: await passwordFor(deps, kit, target.place),
    stall_ms,
  }
  const archive = `${data_dir}/off-site.tar`
  await rm(archive, { force: true })
  try {
    return await withRestic(opened, async (restic) => {
      await prepareRepository(restic, opened, {
        recovery: kit.recovery_key,
        keeper: own.keeper_key,
      })
      await refuseReadable(deps, opened)
      if (only_check) {
        await tryWriting(restic, opened, textFrom(deps))
        return undefined
      }
      await deps.backUp(archive)
      return saveArchive(restic, archive)
    })
  } finally {
    await rm(archive, { force: true })
  }
}

const textFrom = ({ random }: Pick<OffSiteDeps, 'random'>): string =>
  Buffer.from(random(PASSWORD_BYTES)).toString('hex').slice(0, 48)

/** Returns the password of the repository; a new one is recorded before it is used. */
async function passwordFor(
  { db, random, sealer }: OffSiteDeps,
  kit: KitRow,
  place: BackupPlace,
): Promise<Secret> {
  const known = await findOwnRepository(db, place)
  if (known) return openWith(await getKit(db, known.kit_id), sealer, known.sealed_password)
  const password = new Secret(textFrom({ random }))
  const sealed_password = sealTo(kit.dashboard_key, password)
  await insertOwnRepository(db, { place, kit_id: kit.id, sealed_password })
  return password
}

/** Throws for a folder of the records: restic may use the whole folder. */
async function refuseUnusable(path: string, data_dir: string): Promise<void> {
  if (`${path}/`.startsWith(`${data_dir}/`) || `${data_dir}/`.startsWith(`${path}/`)) {
    throw new Error(
      `The folder ${path} must neither be in ${data_dir}, where the records are, nor contain it: use another folder`,
    )
  }
  await access(path, constants.W_OK).catch(() => {
    throw new Error(
      `The dashboard cannot write to ${path} on its own machine: let its user write there, or use a REST, S3 or SFTP target`,
    )
  })
}

/** How long the account of a server may be silent, where that of the dashboard was answered. */
const TIMEOUT_MS = 60_000

/**
 * Tries to open the repository of the dashboard with the account of each target of sites on the same
 * storage, as a server could do it. Throws for the first that succeeds, and for one that could not
 * be tried.
 */
export async function refuseReadable(
  { db, sealer }: { db: Database; sealer: Sealer },
  own: OpenRepository,
): Promise<void> {
  for (const target of await listSealedTargets(db)) {
    if (!isSameStorage(own.target.place, target.place)) continue
    const { place, secret } = openTarget(target, sealer)
    const trial = {
      ...own,
      folder: `${own.folder}-trial`,
      target: { place: withUserOf(own.target.place, place), secret: new Secret(secret) },
      stall_ms: Math.min(own.stall_ms, TIMEOUT_MS),
    }
    const { code, stalled } = await withRestic(trial, ({ attempt }) =>
      attempt(['cat', 'config', '--no-lock']),
    )
    if (stalled) throw new Error(untriedText(target.name))
    if (code === 0) throw new Error(readableText(target.name))
  }
}

const readableText = (name: string) =>
  `A server could read this: the account of the target ${name}, which every server gets, opens the repository of the dashboard, too. Use a prefix or an account of its own that this account cannot read`

const untriedText = (name: string) =>
  `The storage did not answer to the account of the target ${name}, so it is unknown whether a server could read the backups of the dashboard: check the storage`
