import type { Host } from '#agent/host/ports.ts'
import { holdForReading, releaseAfterReading } from '#agent/os/backup/hold.ts'
import { manifestOf, type Saved } from '#agent/os/backup/manifest.ts'
import { forgetExpired, lastRestore, refuseReplaced } from '#agent/os/backup/replace.ts'
import { listManifests, saveDatabase, saveFiles, saveManifest } from '#agent/os/backup/save.ts'
import { describe, findUnfit, patternOf } from '#agent/os/backup/unfit.ts'
import { mariadbSteps } from '#agent/os/database/mariadb.ts'
import { inOrder } from '#agent/os/effects/change.ts'
import { run } from '#agent/os/effects/effects.ts'
import { prepareRepository } from '#agent/os/restic/prepare.ts'
import { resticSteps } from '#agent/os/restic/program.ts'
import { sizeOf } from '#agent/os/restic/progress.ts'
import { type Opened, refuseUnready } from '#agent/os/restic/run.ts'
import { refuseWeakKey, sealTo } from '#agent/os/restic/seal.ts'
import {
  closeFiles,
  INCOMPLETE,
  isHalfMade,
  keepPassword,
  newPassword,
  openedOf,
  openFiles,
  withPassword,
} from '#agent/os/restic/session.ts'
import { findSite, getSite, type Site } from '#agent/os/site/sites.ts'
import { baselineOf } from '#agent/os/staging/baseline.ts'
import type { Command, Step } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict } from '#shared/errors.ts'
import { apexOf } from '#shared/names.ts'
import { Secret } from '#shared/secret.ts'

type Params = ParamsOf<'backup.create'>

/** It does not change the site: other operations on it need not wait. */
export const backupCreate: Command<'backup.create'> = {
  lock: ({ domain }) => `backup of ${apexOf(domain)}`,
  async withSecrets({ password_id, ...params }, host) {
    if (password_id !== undefined) return withPassword({ ...params, password_id }, host)
    await refuseHalfMade(host, params)
    return params
  },
  async steps(params, host) {
    const site = await findSite(host, params.domain)
    return site ? stepsOf(host, site, openedFor(host, site, params, new Secret('')), params) : []
  },
  async plan(params, host) {
    const site = await checked(host, params)
    const opened = openedFor(host, site, params, new Secret(''))
    return [...(await preparing(host)), ...stepsOf(host, site, opened, params)]
  },
  async *run(params, { host, announce, perform, warn }) {
    const site = await checked(host, params)
    const { repository, password_id } = params
    const password =
      password_id === undefined ? await newPassword(host, site.user, repository) : params.password
    const saved: Saved = {}
    const steps = stepsOf(host, site, openedFor(host, site, params, password), params, saved)
    const missing = await preparing(host)
    announce([...missing, ...steps])
    const started = host.clock.elapsed()
    yield* perform([...missing, ...steps])
    const { files, database, manifest } = saved
    if (!files || !manifest) throw new Error('The backup has no manifest')
    for (const message of database?.dump.warnings ?? []) warn({ code: 'left_out', message })
    for (const one of saved.unfit ?? [])
      warn({ code: 'left_out', message: `${describe(one)}: it is not in the backup` })
    const parts = [files, manifest, ...(database ? [database.snapshot] : [])]
    const stored = parts.reduce((sum, part) => sum + (part.data_added_packed ?? part.data_added), 0)
    const bytes = files.total_bytes_processed + (database?.dump.bytes ?? 0)
    yield `Saved ${sizeOf(bytes)}, of which ${sizeOf(stored)} are new`
    return {
      domain: site.domain,
      backup: {
        id: manifest.snapshot_id,
        repository,
        at: saved.at ?? new Date(host.clock.now()).toISOString(),
        files: files.total_files_processed,
        bytes,
        stored,
        tables: database?.dump.tables ?? 0,
        seconds: Math.round((host.clock.elapsed() - started) / 100) / 10,
      },
      sealed_password: sealTo(params.dashboard_key, password),
      ...(saved.present && { present: saved.present }),
    }
  },
}

const preparing = async (host: Host): Promise<Step[]> => [
  ...(await resticSteps(host)),
  ...(await mariadbSteps(host)),
]

async function checked(host: Host, params: Params): Promise<Site> {
  const { domain, dashboard_key, recovery_key, keeper_key } = params
  await refuseUnready(host, params.target)
  refuseWeakKey('dashboard_key', dashboard_key)
  refuseWeakKey('recovery_key', recovery_key)
  if (keeper_key !== undefined) refuseWeakKey('keeper_key', keeper_key)
  return getSite(host, domain)
}

/** Throws conflict with `repository_incomplete`: the dashboard then chooses another repository. */
async function refuseHalfMade(host: Host, { domain, repository }: Params): Promise<void> {
  const site = await findSite(host, domain)
  if (!site || !(await isHalfMade(host, site.user, repository))) return
  throw conflict(`The creation of the repository ${repository} was interrupted`, INCOMPLETE)
}

/** The files of root are those of the site: one backup of it runs at a time. */
const openedFor = (
  host: Host,
  { user }: Site,
  { target, repository: name }: Params,
  password: Secret,
): Opened => openedOf(host, { name, target, password }, user)

/** The manifest is last: without it there is no backup. */
function stepsOf(
  host: Host,
  site: Site,
  opened: Opened,
  { recovery_key, keeper_key, exclude = [] }: Params,
  saved: Saved = {},
): Step[] {
  const { user, domain } = site
  const { repository } = opened
  return [
    {
      name: 'target',
      title: 'Connecting to the target',
      ...openFiles(host, repository, user),
      undo: closeFiles(host, user).apply,
    },
    {
      name: 'repository',
      title: 'Opening the repository',
      effects: [run('program', 'restic')],
      async *apply() {
        yield* prepareRepository(host, opened, user, { recovery_key, keeper_key })
        await keepPassword(host, user, repository)
      },
    },
    {
      name: 'jobs',
      title: 'Pausing the jobs of WordPress',
      ...holdForReading(host, user, 'backup'),
      undo: releaseAfterReading(host, user, 'backup').apply,
    },
    {
      name: 'database',
      title: 'Saving the database',
      effects: [run('program', 'mariadb-dump')],
      async apply() {
        saved.at = new Date(host.clock.now()).toISOString()
        saved.restored = await lastRestore(host, user)
        saved.database = await saveDatabase(host, opened, site)
      },
    },
    {
      name: 'files',
      title: `Saving the files of ${domain}`,
      effects: [run('program', 'restic')],
      async *apply() {
        saved.unfit = await findUnfit(host, user)
        const without = [
          ...exclude.map((path) => `public/${path}`),
          ...saved.unfit.map(({ path }) => patternOf(path)),
        ]
        saved.files = yield* saveFiles(host, opened, site, without)
        await refuseReplaced(host, site, saved.restored, 'backup')
      },
    },
    {
      name: 'release',
      title: 'Resuming the jobs of WordPress',
      ...releaseAfterReading(host, user, 'backup'),
    },
    {
      name: 'manifest',
      title: 'Saving the manifest',
      effects: [run('program', 'restic')],
      async apply() {
        saved.baseline = await baselineOf(host, site)
        const named = { repository: repository.name, excluded: exclude }
        const manifest = await manifestOf(host, site, saved, named)
        saved.manifest = await saveManifest(host, opened, manifest)
        saved.present = await listManifests(host, opened)
      },
    },
    {
      name: 'close',
      title: 'Disconnecting from the target',
      ...inOrder(closeFiles(host, user), forgetExpired(host, site)),
    },
  ]
}
