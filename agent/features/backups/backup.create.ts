import { prepareRepository } from '#agent/features/backups/restic/prepare.ts'
import { resticSteps } from '#agent/features/backups/restic/program.ts'
import type { Summary } from '#agent/features/backups/restic/progress.ts'
import { type OpenRepository, refuseUnready } from '#agent/features/backups/restic/run.ts'
import { refuseWeakKey, sealTo } from '#agent/features/backups/restic/seal.ts'
import {
  closeFiles,
  isCreationInterrupted,
  openFilesStep,
  openRepositoryOf,
  provideNewPassword,
  REPOSITORY_INCOMPLETE,
  storePassword,
  withPassword,
} from '#agent/features/backups/restic/session.ts'
import { baselineForBackup } from '#agent/kernel/baseline/baseline.ts'
import { mariadbSteps } from '#agent/kernel/database/mariadb.ts'
import { inOrder } from '#agent/kernel/effects/change.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { sizeOf } from '#agent/kernel/host/report-progress.ts'
import { findSite, getSite, type Site } from '#agent/kernel/site/sites.ts'
import {
  andThen,
  type CommandRun,
  command,
  line,
  type Progress,
  ready,
  type Step,
  stepResult,
} from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { manifestOf } from './manifest.ts'
import { pauseJobsForReading, resumeJobsAfterReading } from './pause-jobs.ts'
import { lastReplacement, refuseReplaced, removeExpiredState } from './replace.ts'
import { listManifests, saveDatabase, saveFiles, saveManifest } from './save.ts'
import { describeUnfit, findUnfit, patternOf, type UnfitFile } from './unfit-files.ts'

type BackupParams = ParamsOf<'backup.create'>

interface SavedDatabaseState {
  at: string
  /** The time of the last replacement of the content before the database was saved. */
  restored: number | undefined
  database: Awaited<ReturnType<typeof saveDatabase>>
}
interface SavedFiles {
  files: Summary
  unfit: UnfitFile[]
}
interface SavedManifest {
  manifest: Summary
  /** The manifests in the repository; undefined: they could not be listed. */
  present: string[] | undefined
}

const secret = stepResult<Secret>('The repository has no password')
const read = stepResult<SavedDatabaseState>('The database was not saved')
const copied = stepResult<SavedFiles>('The files were not saved')
const complete = stepResult<SavedManifest>('The backup has no manifest')

/** Does not change the site: other operations on it need not wait. */
export const backupCreate = command('backup.create', {
  lock: ({ domain }) => `backup of ${apexOf(domain)}`,
  async withSecrets({ password_id, ...params }, host) {
    if (password_id !== undefined) return withPassword({ ...params, password_id }, host)
    await refuseHalfMade(host, params)
    return params
  },
  async check(params, host) {
    const site = await checked(host, params)
    return { site, began: host.clock.elapsed() }
  },
  async find({ domain }, host) {
    const site = await findSite(host, domain)
    return site && { site, began: 0 }
  },
  steps: (job) => [
    line(job.gives(secret, () => passwordOf(job))),
    ready(() => resticSteps(job.host)),
    ready(() => mariadbSteps(job.host)),
    andThen(() => stepsOf(job)),
  ],
  async *result({ params, host, site, began, get, warn }) {
    const { at, database } = get(read)
    const { files, unfit } = get(copied)
    const { manifest, present } = get(complete)
    for (const message of database?.dump.warnings ?? []) warn({ code: 'left_out', message })
    for (const one of unfit)
      warn({ code: 'left_out', message: `${describeUnfit(one)}: it is not in the backup` })
    const parts = [files, manifest, ...(database ? [database.snapshot] : [])]
    const stored = parts.reduce((sum, part) => sum + (part.data_added_packed ?? part.data_added), 0)
    const bytes = files.total_bytes_processed + (database?.dump.bytes ?? 0)
    yield `Saved ${sizeOf(bytes)}, of which ${sizeOf(stored)} are new`
    return {
      domain: site.domain,
      backup: {
        id: manifest.snapshot_id,
        repository: params.repository,
        at,
        files: files.total_files_processed,
        bytes,
        stored,
        tables: database?.dump.tables ?? 0,
        seconds: Math.round((host.clock.elapsed() - began) / 100) / 10,
      },
      sealed_password: sealTo(params.dashboard_key, get(secret)),
      ...(present && { present }),
    }
  },
})

type BackupRun = CommandRun<'backup.create', { site: Site; began: number }>

const passwordOf = async ({ params, host, site }: BackupRun): Promise<Secret> =>
  params.password_id === undefined
    ? provideNewPassword(host, site.user, params.repository)
    : params.password

async function checked(host: Host, params: BackupParams): Promise<Site> {
  const { domain, dashboard_key, recovery_key, keeper_key } = params
  await refuseUnready(host, params.target)
  refuseWeakKey('dashboard_key', dashboard_key)
  refuseWeakKey('recovery_key', recovery_key)
  if (keeper_key !== undefined) refuseWeakKey('keeper_key', keeper_key)
  return getSite(host, domain)
}

/** Throws conflict with `repository_incomplete`: the dashboard then chooses another repository. */
async function refuseHalfMade(host: Host, { domain, repository }: BackupParams): Promise<void> {
  const site = await findSite(host, domain)
  if (!site || !(await isCreationInterrupted(host, site.user, repository))) return
  throw conflict(
    `The creation of the repository ${repository} was interrupted`,
    REPOSITORY_INCOMPLETE,
  )
}

/** Saves the manifest last: without it there is no backup. One backup of a site runs at a time. */
function stepsOf({ params, host, site, gives, get, find }: BackupRun): Step[] {
  const { user, domain } = site
  const { target, repository: name, recovery_key, keeper_key } = params
  const repository = { name, target, password: find(secret) ?? new Secret('') }
  const opened = openRepositoryOf(host, repository, user, 'saving')
  return [
    openFilesStep(host, repository, user, 'saving'),
    {
      name: 'repository',
      title: 'Opening the repository',
      effects: [run('program', 'restic')],
      async *apply() {
        yield* prepareRepository(host, opened, user, { recovery_key, keeper_key })
        await storePassword(host, user, repository)
      },
    },
    {
      name: 'jobs',
      title: 'Pausing the jobs of WordPress',
      ...pauseJobsForReading(host, user, 'backup'),
      undo: resumeJobsAfterReading(host, user, 'backup').apply,
    },
    {
      name: 'database',
      title: 'Saving the database',
      effects: [run('program', 'mariadb-dump')],
      apply: gives(read, async () => ({
        at: new Date(host.clock.now()).toISOString(),
        restored: await lastReplacement(host, user),
        database: await saveDatabase(host, opened, site),
      })),
    },
    {
      name: 'files',
      title: `Saving the files of ${domain}`,
      effects: [run('program', 'restic')],
      apply: gives(copied, () => copyFiles(host, site, opened, params.exclude, get(read))),
    },
    {
      name: 'release',
      title: 'Resuming the jobs of WordPress',
      ...resumeJobsAfterReading(host, user, 'backup'),
    },
    {
      name: 'manifest',
      title: 'Saving the manifest',
      effects: [run('program', 'restic')],
      apply: gives(complete, async () => {
        const { at, database } = get(read)
        const saved = {
          at,
          database,
          ...get(copied),
          baseline: await baselineForBackup(host, site),
        }
        const named = { repository: name, excluded: params.exclude ?? [] }
        const manifest = await manifestOf(host, site, saved, named)
        return {
          manifest: await saveManifest(host, opened, manifest),
          present: await listManifests(host, opened),
        }
      }),
    },
    {
      name: 'close',
      title: 'Disconnecting from the target',
      ...inOrder(closeFiles(host, user, 'saving'), removeExpiredState(host, site)),
    },
  ]
}

async function* copyFiles(
  host: Host,
  site: Site,
  opened: OpenRepository,
  exclude: readonly string[] = [],
  { restored }: SavedDatabaseState,
): Progress<SavedFiles> {
  const unfit = await findUnfit(host, site.user)
  const without = [
    ...exclude.map((path) => `public/${path}`),
    ...unfit.map(({ path }) => patternOf(path)),
  ]
  const files = yield* saveFiles(host, opened, site, without)
  await refuseReplaced(host, site, restored, 'backup')
  return { files, unfit }
}
