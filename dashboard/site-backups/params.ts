import { z } from 'zod'
import type { Params, RulesDeps } from '#dashboard/operations/rules.ts'
import type { Sealer } from '#dashboard/trust/seal.ts'
import { BackupPlace } from '#shared/backup.ts'
import { conflict, invalid } from '#shared/errors.ts'
import { getKit } from './kit.queries.ts'
import { confirmedKit, openWith } from './kit.ts'
import {
  findBackup,
  findDefaultTarget,
  findRepository,
  findTarget,
  type TargetRow,
} from './queries.ts'
import { getBackupSettings } from './settings.queries.ts'
import { openTarget, sealedTarget } from './targets.ts'

type Deps = Pick<RulesDeps, 'db' | 'sealer'>

const PASSWORD = 'backup password'

/** The recorded params: the secrets are sealed, and opened for the agent alone. */
const Recorded = z.looseObject({
  target_id: z.number(),
  place: BackupPlace,
  secret_sealed: z.string(),
  password_sealed: z.string().optional(),
})

/** The params for an agent; without `sealer`, for a plan, without secrets. */
export function unsealed(params: Params, sealer?: Pick<Sealer, 'open'>): Params {
  const { target_id: _, place, secret_sealed, password_sealed, ...rest } = Recorded.parse(params)
  const target = openTarget({ place, secret_sealed }, sealer)
  if (!password_sealed) return { ...rest, target }
  const password = sealer ? sealer.open(PASSWORD, password_sealed).reveal() : 'hidden'
  return { ...rest, target, password }
}

/** For a check: any target. Throws 422 for an unknown one. */
export async function checkParams({ db }: Deps, target_id: number) {
  const target = await findTarget(db, target_id)
  if (!target) throw unknownTarget()
  return sealedTarget(target)
}

/**
 * For a backup to the named target, to that of the site, or to the default one. Throws 409 while there
 * is no confirmed kit, or that target is not checked.
 */
export async function createParams(
  deps: Deps,
  { id, user }: { id: number; user: string },
  named: number | undefined,
) {
  const kit = await confirmedKit(deps)
  const target_id = named ?? (await getBackupSettings(deps.db, id)).target_id ?? undefined
  const target = await usableTarget(deps, target_id)
  const password_sealed = await passwordIn(deps, target.id, user)
  return {
    ...sealedTarget(target),
    ...(password_sealed !== undefined && { password_sealed }),
    kit_id: kit.id,
    dashboard_key: kit.dashboard_key,
    recovery_key: kit.recovery_key,
  }
}

/** Throws 422 for a backup of another site. */
export async function restoreParams(deps: Deps, site_id: number, backup_id: number) {
  const backup = await findBackup(deps.db, site_id, backup_id)
  if (!backup) throw invalid({ backup_id: ['Is not a backup of this site'] })
  const target = await findTarget(deps.db, backup.target_id)
  const password_sealed = await passwordIn(deps, backup.target_id, backup.repository)
  if (!target || password_sealed === undefined) {
    throw conflict('The password of the repository is not on record: restore it with the kit')
  }
  const { repository, snapshot } = backup
  return { ...sealedTarget(target), password_sealed, repository, backup: snapshot }
}

async function usableTarget({ db }: Deps, id: number | undefined): Promise<TargetRow> {
  const target = await (id === undefined ? findDefaultTarget(db) : findTarget(db, id))
  if (!target && id !== undefined) throw unknownTarget()
  if (!target) throw conflict('There is no backup target: add one on the page Backups')
  if (target.checked_at !== null) return target
  throw conflict(`${target.name} has not been checked: check it from a server on the page Backups`)
}

export const unknownTarget = () => invalid({ target_id: ['Is not a backup target'] })

/** The password of a known repository, sealed for the record of an operation. */
async function passwordIn(
  { db, sealer }: Deps,
  target_id: number,
  name: string,
): Promise<string | undefined> {
  const repository = await findRepository(db, target_id, name)
  if (!repository) return undefined
  const kit = await getKit(db, repository.kit_id)
  return sealer.seal(PASSWORD, openWith(kit, sealer, repository.sealed_password))
}
