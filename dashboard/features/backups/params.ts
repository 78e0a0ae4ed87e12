import { createHash } from 'node:crypto'
import { z } from 'zod'
import { lacksPassword } from '#dashboard/kernel/agents/agent-errors.ts'
import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import type { Params, RulesDeps } from '#dashboard/kernel/engine/rules.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import { BackupPlace, type KnownRepository } from '#shared/backups/backup.ts'
import { conflict, invalid } from '#shared/kernel/errors.ts'
import { isReserved } from '#shared/kernel/fields.ts'
import { effectiveSettings } from './effective.queries.ts'
import { getKit } from './kit.queries.ts'
import { confirmedKit, openWith } from './kit.ts'
import { nextRepository, recordRecipient } from './next-repository.ts'
import { findNewestBackup } from './proofs.queries.ts'
import {
  type BackupRow,
  findBackup,
  findDefaultTarget,
  findRepository,
  findTarget,
  type TargetRow,
} from './queries.ts'
import { openTarget, sealedTarget } from './targets.ts'

type Deps = Pick<RulesDeps, 'db' | 'sealer'>

const PASSWORD = 'backup password'

/** The recorded params: the secrets are sealed, and opened for the agent alone. */
const RecordedParams = z.looseObject({
  target_id: z.number(),
  place: BackupPlace,
  secret_sealed: z.string(),
  password_sealed: z.string().optional(),
})

/**
 * Returns the params for an agent, with the password of the repository only if that is asked for.
 * Without `sealer`, for a plan, they have no secret.
 */
export function paramsForAgent(
  params: Params,
  sealer?: Pick<Sealer, 'open'>,
  with_password = false,
): Params {
  const {
    target_id: _,
    place,
    secret_sealed,
    password_sealed,
    ...rest
  } = RecordedParams.parse(params)
  const target = openTarget({ place, secret_sealed }, sealer)
  if (!sealer || !with_password || !password_sealed) return { ...rest, target }
  return { ...rest, target, password: sealer.open(PASSWORD, password_sealed).reveal() }
}

/** The recorded params of a repository as an agent opens it; `backup` is one of its backups. */
export type OpenedBackup = z.input<typeof KnownRepository> & { backup: string }

/**
 * Calls the agent of a server without the password of a repository. If it answers that it does not
 * have it, that is recorded, and the call is repeated once, with the password.
 */
export async function withPassword<T>(
  { db, sealer }: Deps,
  server_id: number,
  params: Params,
  call: (opened: OpenedBackup) => Promise<T>,
): Promise<T> {
  const opened = (with_password = false) =>
    paramsForAgent(params, sealer, with_password) as unknown as OpenedBackup
  try {
    return await call(opened())
  } catch (error) {
    if (!lacksPassword(error) || !(await recordRecipient(db, server_id, params))) throw error
    return call(opened(true))
  }
}

/** Returns the params of a check of any target. Throws 422 for an unknown one. */
export async function checkParams({ db }: Deps, target_id: number) {
  const target = await findTarget(db, target_id)
  if (!target) throw unknownTarget()
  return sealedTarget(target)
}

/**
 * Returns the params of a backup to the named target, or to that of the site
 * (effective.queries.ts). The repository is chosen again when the backup is sent (repositories.ts).
 * Throws 409 while there is no confirmed kit, or that target is not checked.
 */
export async function createParams(
  deps: Deps,
  site: Pick<SiteRow, 'id' | 'server_id' | 'user'>,
  named: number | undefined,
) {
  const kit = await confirmedKit(deps)
  const used = await effectiveSettings(deps.db, site.id)
  const target = await usableTarget(deps, named ?? used.target_id ?? undefined)
  const { name: repository } = await nextRepository(deps.db, site, target.id)
  return {
    ...sealedTarget(target),
    repository,
    exclude: used.exclude,
    kit_id: kit.id,
    dashboard_key: kit.dashboard_key,
    recovery_key: kit.recovery_key,
    ...(target.keeper_key !== null && { keeper_key: target.keeper_key }),
  }
}

/** Returns the params of a restore. Throws 422 for a backup of another site. */
export async function restoreParams(deps: Deps, site_id: number, backup_id: number) {
  const backup = await findBackup(deps.db, site_id, backup_id)
  if (!backup) throw invalid({ backup_id: ['Is not a backup of this site'] })
  return backupParams(deps, backup)
}

/** Returns what opens a backup. Throws 409 without the password of its repository. */
export async function backupParams(deps: Deps, backup: BackupRow) {
  const target = await findTarget(deps.db, backup.target_id)
  if (backup.gone_at !== null) {
    const where = target ? `in ${target.name}` : 'in its target'
    throw conflict(`The backup is not ${where} any more: choose a later one`)
  }
  const { target_id, repository: name, site_id } = backup
  const password = await passwordIn(deps, { target_id, name }, site_id)
  if (!target || !password) {
    throw conflict('The password of the repository is not recorded: restore it with the kit')
  }
  const { repository, snapshot } = backup
  return { ...sealedTarget(target), ...password, repository, backup: snapshot }
}

export async function repositoryParams(deps: Deps, target_id: number, name: string) {
  const target = await findTarget(deps.db, target_id)
  const password = await passwordIn(deps, { target_id, name })
  if (!target || !password) throw unknownTarget()
  return { ...sealedTarget(target), ...password, repository: name }
}

/** Returns the params of a proof of a backup, by default the newest. Throws 409 without one. */
export async function proveParams(deps: Deps, site_id: number, named: number | undefined) {
  const backup_id = named ?? (await findNewestBackup(deps.db, site_id))?.id
  if (backup_id === undefined) throw conflict('The site has no backup: back it up first')
  return { backup_id, ...(await restoreParams(deps, site_id, backup_id)) }
}

async function usableTarget({ db }: Deps, id: number | undefined): Promise<TargetRow> {
  const target = await (id === undefined ? findDefaultTarget(db) : findTarget(db, id))
  if (!target && id !== undefined) throw unknownTarget()
  if (!target) throw conflict('There is no backup target: add one on the page Backups')
  if (target.checked_at !== null) return target
  throw conflict(`${target.name} has not been checked: check it from a server on the page Backups`)
}

export const unknownTarget = () => invalid({ target_id: ['Is not a backup target'] })

/** Returns the id by which a server finds the password (shared/backups/backup-secret.ts). */
export const passwordIdOf = (password: string): string =>
  createHash('sha256').update(password).digest('hex')

/**
 * Returns the password of a known repository, sealed for the record of an operation, and its id. A
 * repository of another site than `site_id` is none, whatever the record of a backup says.
 */
export async function passwordIn(
  { db, sealer }: Deps,
  { target_id, name }: { target_id: number; name: string },
  site_id: number | null = null,
): Promise<{ password_sealed: string; password_id: string } | undefined> {
  const repository = await findRepository(db, target_id, name)
  if (!repository || repository.sealed_password === null || isReserved(name)) return undefined
  const owner = repository.site_id
  if (owner !== null && site_id !== null && owner !== site_id) return undefined
  const kit = await getKit(db, repository.kit_id)
  const password = openWith(kit, sealer, repository.sealed_password)
  return {
    password_sealed: sealer.seal(PASSWORD, password),
    password_id: passwordIdOf(password.reveal()),
  }
}
