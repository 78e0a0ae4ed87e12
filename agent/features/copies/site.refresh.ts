import { fetchBackupSteps } from '#agent/features/backups/fetch-backup.ts'
import { withLargerQuotaForCopy } from '#agent/features/backups/larger-quota.ts'
import { userIn } from '#agent/features/backups/manifest.ts'
import { dumpIn, fetchedOf } from '#agent/features/backups/paths.ts'
import { pauseJobsForReading, resumeJobsAfterReading } from '#agent/features/backups/pause-jobs.ts'
import {
  pauseSiteSteps,
  resumeSiteSteps,
  startSiteSteps,
} from '#agent/features/backups/pause-site.ts'
import {
  keepPreviousStep,
  removeFetched,
  removeFetchedStep,
  replacedFolderStep,
} from '#agent/features/backups/previous-state.ts'
import * as replace from '#agent/features/backups/replace.ts'
import { refuseReplaced, refuseReplacing } from '#agent/features/backups/replace.ts'
import { databaseSteps, filesStep } from '#agent/features/backups/replace-steps.ts'
import { resticSteps } from '#agent/features/backups/restic/program.ts'
import { refuseUnready } from '#agent/features/backups/restic/run.ts'
import { withSourcePassword } from '#agent/features/backups/restic/session.ts'
import { writeReport } from '#agent/features/copies/clone/report.ts'
import { refuseLackForCopy } from '#agent/features/copies/clone/space.ts'
import { fetchSiteFiles, prepareFetched } from '#agent/features/copies/staging/files.ts'
import { certificateOf } from '#agent/features/web/nginx.ts'
import { configureCopy, proveOwnDatabase } from '#agent/features/wordpress/addresses/config.ts'
import { copyDatabase, loadDump } from '#agent/features/wordpress/addresses/load.ts'
import { setUrl } from '#agent/features/wordpress/wordpress.ts'
import { copiedFolder } from '#agent/kernel/baseline/live-files.ts'
import { mariadbSteps } from '#agent/kernel/database/mariadb.ts'
import { change, create, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { sizeOf } from '#agent/kernel/host/report-progress.ts'
import { onSite, warnOfCleanup } from '#agent/kernel/site/on-site.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import {
  type CommandRun,
  command,
  ready,
  type Step,
  stepResult,
} from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import type { CopySource } from '#shared/copies/copy-source.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { getReplacementResult, previousStateOf } from './replacement-result.ts'
import { copyResult, separateStep } from './separate-step.ts'

type RefreshParams = ParamsOf<'site.refresh'>

/** Fetches everything before the staging site changes; one rename of a folder decides. */
export const siteRefresh = command('site.refresh', {
  ...onSite,
  withSecrets: withSourcePassword,
  check: async (params, host) => ({ site: await checked(host, params) }),
  steps: (job) => [ready(() => preparationSteps(job.host, job.params)), ...stepsOf(job)],
  unfinished: warnOfCleanup,
  result: ({ params: { domain }, host }) => getReplacementResult(host, domain),
})

/** Throws conflict for a site that visitors and search engines know. */
async function checked(host: Host, { domain, from }: RefreshParams): Promise<Site> {
  const site = await getSite(host, domain)
  if (!site.staging) throw conflict(`${domain} is not a staging site: restore a backup instead`)
  if (from.kind === 'backup') await refuseUnready(host, from.target)
  else {
    const original = await getSite(host, from.domain)
    if (original.user === site.user) throw conflict(`${domain} cannot be refreshed from itself`)
    await replace.refuseReplacing(host, original)
    await refuseLackForCopy(host, original.user)
  }
  return site
}

const preparationSteps = async (host: Host, { from }: RefreshParams): Promise<Step[]> => [
  ...(from.kind === 'backup' ? await resticSteps(host) : []),
  ...(await mariadbSteps(host)),
]

function stepsOf(job: RefreshRun): Step[] {
  const { params, host, site, get, warn } = job
  const { user } = site
  const tell = (message: string) => warn({ code: 'left_out', message })
  return [
    ...fetchSteps(job, params.from, tell),
    ...pauseSiteSteps(host, site),
    replacedFolderStep(host, user, () => previousStateOf(host, get(copyResult))),
    ...databaseSteps(host, site, undefined, tell),
    filesStep(host, user, undefined),
    ...separationSteps(job),
    ...startSiteSteps(host, site),
    keepPreviousStep(host, user),
    ...resumeSiteSteps(host, site),
    removeFetchedStep(host, site),
  ]
}

/** Gives the copy its own database, keys and addresses, without what acts for the live one. */
function separationSteps({ host, site, get }: RefreshRun): Step[] {
  return [
    {
      name: 'config',
      title: 'Changing the configuration of the copy',
      effects: [change('file', `${docrootOf(site.user)}/wp-config.php`)],
      async apply() {
        await configureCopy(host, get(copyResult).original, site, new Secret(host.random.text(32)))
        await replace.syncDatabasePassword(host, site)
        await proveOwnDatabase(host, site)
        if (await certificateOf(host, site.domain)) await setUrl(host, site, 'https')
        await writeReport(host, site.user, get(copyResult))
      },
      undo: () => replace.syncDatabasePassword(host.steady ?? host, site),
    },
    separateStep(host, site, { get }),
  ]
}

type RefreshRun = CommandRun<'site.refresh', { site: Site }>

type ReportMessage = (message: string) => void
type SourceOf<K extends CopySource['kind']> = Extract<CopySource, { kind: K }>

/** The user of the original, and the time of its last replacement before it was read. */
const pausedOriginal = stepResult<{ user: string; restored: number | undefined }>(
  'The jobs were not paused',
)

/** Fetches everything, with the addresses of the staging site, before the site changes. */
const fetchSteps = (job: RefreshRun, from: CopySource, tell: ReportMessage): Step[] =>
  from.kind === 'site' ? stepsFromSite(job, from, tell) : stepsFromBackup(job, from)

/** Reads the database first: a file that is added meanwhile has no row, but each row has a file. */
function stepsFromSite(
  { host, site, gives, get, find }: RefreshRun,
  from: SourceOf<'site'>,
  tell: ReportMessage,
): Step[] {
  const steady = host.steady ?? host
  // The original may be renamed or deleted meanwhile, and a restart loses its user.
  const jobs = async (action: typeof pauseJobsForReading) =>
    action(steady, find(pausedOriginal)?.user ?? (await getSite(host, from.domain)).user, site.user)
  return [
    {
      name: 'hold',
      title: `Pausing the jobs of ${from.domain}`,
      effects: async () => (await jobs(pauseJobsForReading)).effects(),
      apply: gives(pausedOriginal, async () => {
        const original = await getSite(host, from.domain)
        const restored = await refuseReplacing(host, original)
        await pauseJobsForReading(steady, original.user, site.user).apply()
        return { user: original.user, restored }
      }),
      undo: async () => (await jobs(resumeJobsAfterReading).catch(() => undefined))?.apply(),
    },
    {
      name: 'fetch',
      title: `Copying the database and the files of ${from.domain}`,
      effects: [run('program', 'mariadb-dump'), create('folder', fetchedOf(site.user))],
      apply: gives(copyResult, async function* () {
        const original = await getSite(host, from.domain)
        const folder = await prepareFetched(host, site.user)
        const at = new Date(host.clock.now()).toISOString()
        const same = await copiedFolder(host, original)
        const dump = await copyDatabase(host, original, site, { path: dumpIn(folder) })
        const { warnings, ...database } = dump
        for (const message of warnings) tell(message)
        yield `Copied ${dump.tables} tables: ${sizeOf(dump.bytes)}`
        const bytes = yield* withLargerQuotaForCopy(host, site, [original], () =>
          fetchSiteFiles(host, original, site),
        )
        await refuseReplaced(host, original, get(pausedOriginal).restored, 'copy')
        yield `Copied the files: ${sizeOf(bytes)}`
        return { original, at, same, ...database, files: 0, bytes: dump.bytes + bytes }
      }),
      undo: () => removeFetched(steady, site),
    },
    {
      name: 'continue',
      title: `Resuming the jobs of ${from.domain}`,
      effects: async () => (await jobs(resumeJobsAfterReading)).effects(),
      apply: async () => (await jobs(resumeJobsAfterReading)).apply(),
    },
  ]
}

function stepsFromBackup(job: RefreshRun, from: SourceOf<'backup'>): Step[] {
  const { host, site } = job
  const { user } = site
  const folder = fetchedOf(user)
  return fetchBackupSteps(job, {
    from,
    async prepare() {
      await prepareFetched(host, user)
    },
    as: copyResult,
    async fetched(manifest) {
      const { at, domain, files, database } = manifest
      const original = { domain, user: userIn(manifest) }
      const path = `${dumpIn(folder)}.new`
      const report = await loadDump(host, dumpIn(folder), original, site, { path })
      await host.files.rename(path, dumpIn(folder))
      const amounts = { tables: database?.tables ?? 0, files: 0, bytes: files.bytes }
      return { at, original, ...amounts, ...report }
    },
    undo: () => removeFetched(host.steady ?? host, site),
  })
}
