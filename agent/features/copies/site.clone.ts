import { type BackupSource, fetchBackupSteps } from '#agent/features/backups/fetch-backup.ts'
import { type Manifest, userIn } from '#agent/features/backups/manifest.ts'
import { dumpIn, fetchedOf, filesIn } from '#agent/features/backups/paths.ts'
import { pauseJobsForReading, resumeJobsAfterReading } from '#agent/features/backups/pause-jobs.ts'
import { removeFetchedStep } from '#agent/features/backups/previous-state.ts'
import { refuseReplaced, refuseReplacing } from '#agent/features/backups/replace.ts'
import { resticSteps } from '#agent/features/backups/restic/program.ts'
import { refuseUnready } from '#agent/features/backups/restic/run.ts'
import { withSourcePassword } from '#agent/features/backups/restic/session.ts'
import { copyFiles } from '#agent/features/copies/clone/files.ts'
import { type CopyResult, findReport, writeReport } from '#agent/features/copies/clone/report.ts'
import { inherit, inheritedOf, namesOf } from '#agent/features/copies/clone/settings.ts'
import { refuseLackForCopy } from '#agent/features/copies/clone/space.ts'
import { recordInterruptedIssue } from '#agent/features/domains/interrupted-issue.ts'
import { measureFiles } from '#agent/features/metrics/usage/measure.ts'
import {
  preparationSteps,
  refuseKnownNames,
  warnOfCapacity,
} from '#agent/features/sites/new-site.ts'
import { certificateSteps, copySteps, databaseStep } from '#agent/features/sites/site-steps.ts'
import { awaitAnswer } from '#agent/features/web/front-page.ts'
import { configureCopy, proveOwnDatabase } from '#agent/features/wordpress/addresses/config.ts'
import { copyDatabase, loadDump } from '#agent/features/wordpress/addresses/load.ts'
import { copiedFolder } from '#agent/kernel/baseline/live-files.ts'
import { inOrder, moved, removed, removedTree } from '#agent/kernel/effects/change.ts'
import { change, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { sizeOf } from '#agent/kernel/host/report-progress.ts'
import { onSite, warnOfCleanup } from '#agent/kernel/site/on-site.ts'
import { docrootOf, restoresOf } from '#agent/kernel/site/paths.ts'
import { reportOf } from '#agent/kernel/site/settings.ts'
import { getSite, recordIn, type Site } from '#agent/kernel/site/sites.ts'
import {
  after,
  type CommandRun,
  command,
  line,
  type Progress,
  ready,
  type Step,
  type StepList,
  stepResult,
} from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { SiteJobs } from '#shared/jobs/site-jobs.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import { copyResult, separateStep } from './separate-step.ts'

type CloneParams = ParamsOf<'site.clone'>

/** Creates a site with the content of another one, which is only read. */
export const siteClone = command('site.clone', {
  lock: onSite.lock,
  withSecrets: withSourcePassword,
  async check(params, host) {
    if (params.from.kind === 'backup') await refuseUnready(host, params.from.target)
    else await refuseUncopiable(host, params.from.domain)
    return { site: siteOf(params) }
  },
  find: async (params) => ({ site: siteOf(params) }),
  async steps(job) {
    const { params, host, site, warn } = job
    const { from, accept } = params
    return [
      ready(
        async () => [
          ...(await preparationSteps(host, site, accept)),
          ...(from.kind === 'backup' ? await resticSteps(host) : []),
        ],
        () => refuseKnownNames(host, site),
      ),
      line(() => warnOfCapacity(host, site)),
      ...(await stepsOf(job)),
      after(
        () => certificateSteps(recorded(job), host, warn),
        () => recordInterruptedIssue(host, site.domain),
      ),
    ]
  },
  unfinished: warnOfCleanup,
  async result({ params: { domain }, host }) {
    const site = await getSite(host, domain)
    const report = await findReport(host, site.user)
    if (!report) throw new Error('The copy has no report')
    return { domain, ...report, ...settingsIn(site) }
  },
})

const siteOf = ({ accept: _, from: __, with_jobs: ___, ...site }: CloneParams): Site => site

/** Returns the settings for the records of the dashboard; none for a site with the defaults. */
const settingsIn = (site: Site) =>
  namesOf(inheritedOf(site, { isSame: true })).length > 0 ? { settings: reportOf(site) } : {}

async function refuseUncopiable(host: Host, domain: string): Promise<void> {
  const site = await getSite(host, domain)
  await refuseReplacing(host, site)
  await refuseLackForCopy(host, site.user)
}

/** The time of the last replacement of the original before it was read. */
const restored = stepResult<number | undefined>('The jobs of the original were not paused')
const loaded = stepResult<Omit<CopyResult, 'files'>>('The database was not copied')

/** Completes the content before the site is public. */
async function stepsOf(job: CloneRun): Promise<StepList> {
  const { params, host, site, warn } = job
  const { from, with_jobs } = params
  const tell = (message: string) => warn({ code: 'left_out', message })
  const password = new Secret(host.random.text(32))
  const database = databaseStep(host, site, password)
  const content =
    from.kind === 'site'
      ? await stepsFromSite(job, { from: from.domain, tell, database, with_jobs })
      : backupSteps(job, { from, database, with_jobs, tell })
  const list = await copySteps(host, site, [...content, ...configSteps(job, password)], {
    recorded: () => recorded(job),
    probe: () => checkAnswer(host, site),
  })
  return from.kind === 'site' ? list : [...list, removeFetchedStep(host, site)]
}

/** Returns the record with what the clone has inherited so far. */
const recorded = ({ find, site }: CloneRun): Site =>
  find(inherited) ?? find(fetchedContent)?.record ?? site

/** Requests the front page and reports the answer. An error page is copied like any other page. */
async function* checkAnswer(host: Host, { domain }: Site): Progress<void> {
  const problem = await awaitAnswer(host, domain)
  if (problem !== undefined) yield `Warning: ${domain} ${problem}`
}

interface FromSiteOptions {
  from: string
  tell: (message: string) => void
  database: Step
  with_jobs: boolean | undefined
}

/** Copies the database first: a file that is added meanwhile has no row, but each row a file. */
async function stepsFromSite(
  job: CloneRun,
  { from, tell, database, with_jobs = false }: FromSiteOptions,
): Promise<Step[]> {
  const { host, site, gives, get } = job
  const { user } = site
  const steady = host.steady ?? host
  // After a restart the original may be deleted, with its jobs.
  const known = await getSite(host, from).catch(() => undefined)
  const source = known?.user ?? ''
  const hold = pauseJobsForReading(host, source, user)
  return [
    ...settingsSteps(job, known, with_jobs),
    database,
    {
      name: 'jobs',
      title: `Pausing the jobs of ${from}`,
      effects: hold.effects,
      apply: gives(restored, async () => {
        const at = await refuseReplacing(host, await getSite(host, from))
        await hold.apply()
        return at
      }),
      undo: resumeJobsAfterReading(steady, source, user).apply,
    },
    {
      name: 'load',
      title: `Copying the database of ${from}`,
      effects: [run('program', 'mariadb-dump'), change('database', user)],
      apply: gives(loaded, async function* () {
        const original = await getSite(host, from)
        const at = new Date(host.clock.now()).toISOString()
        const same = site.staging && { same: await copiedFolder(host, original) }
        const { warnings, ...report } = await copyDatabase(host, original, site)
        const { bytes, tables, addresses } = report
        for (const message of warnings) tell(message)
        yield `Copied ${tables} tables: ${sizeOf(bytes)}, ${addresses.replaced} addresses changed`
        return { original, at, ...same, ...report }
      }),
    },
    {
      name: 'files',
      title: `Copying the files of ${from}`,
      effects: [run('program', 'tar'), change('folder', docrootOf(user))],
      apply: gives(copyResult, async function* () {
        const original = await getSite(host, from)
        const bytes = await copyFiles(host, original, site)
        await refuseReplaced(host, original, get(restored), 'copy')
        const files = (await measureFiles(host, user)) ?? 0
        yield `Copied ${files} files: ${sizeOf(bytes)}`
        const database = get(loaded)
        return { ...database, files, bytes: database.bytes + bytes }
      }),
    },
    {
      name: 'release',
      title: `Resuming the jobs of ${from}`,
      ...resumeJobsAfterReading(host, source, user),
    },
  ]
}

function configSteps({ host, site, get }: CloneRun, password: Secret): Step[] {
  const { user } = site
  return [
    {
      name: 'config',
      title: 'Changing the configuration of the copy',
      effects: [change('file', `${docrootOf(user)}/wp-config.php`)],
      async apply() {
        await configureCopy(host, get(copyResult).original, site, password)
        await proveOwnDatabase(host, site)
        await writeReport(host, user, get(copyResult))
      },
      undo: removedTree(host.steady ?? host, 'folder', restoresOf(user)).apply,
    },
    ...(site.staging ? [separateStep(host, site, { get })] : []),
  ]
}

interface FromBackupOptions {
  from: BackupSource
  database: Step
  with_jobs: boolean | undefined
  tell: (message: string) => void
}

/** The content of a backup; `record` is that of the clone with the inherited settings. */
type FetchedContent = Omit<CopyResult, 'addresses' | 'digests'> & { record: Site }
const fetchedContent = stepResult<FetchedContent>('The backup was not read')

/** Adds the record of a backup, which may be of another version, without what is unknown here. */
function withBackupRecord(site: Site, former: Manifest['site'], with_jobs: boolean): Site {
  const recorded = recordIn(former)
  const clone = recorded
    ? inherit(site, inheritedOf(recorded, { isSame: isSame(site, recorded) }))
    : site
  return with_jobs ? { ...clone, jobs: SiteJobs.safeParse(former.jobs).data } : clone
}

/** Fetches and checks the content of a backup in a folder of root before the copy. */
function backupSteps(
  job: CloneRun,
  { from, database, with_jobs = true, tell }: FromBackupOptions,
): Step[] {
  const { host, site, gives, get } = job
  const { user } = site
  const steady = host.steady ?? host
  const fetched = fetchedOf(user)
  return [
    ...fetchBackupSteps(job, {
      from,
      prepare: removedTree(host, 'folder', fetched).apply,
      as: fetchedContent,
      async fetched(manifest) {
        const { at, domain, files, database: saved, site: former } = manifest
        const { bytes = 0, tables = 0 } = saved ?? {}
        for (const message of notInherited(site, former)) tell(message)
        return {
          at,
          tables,
          files: files.count,
          bytes: files.bytes + bytes,
          original: { domain, user: userIn(manifest) },
          // A staging site inherits nothing.
          record: site.staging ? site : withBackupRecord(site, former, with_jobs),
        }
      },
      undo: removedTree(steady, 'folder', restoresOf(user)).apply,
    }),
    database,
    {
      name: 'load',
      title: 'Importing the database',
      effects: [change('database', user)],
      apply: gives(copyResult, async function* () {
        const facts = get(fetchedContent)
        const report = await loadDump(host, dumpIn(fetched), facts.original, site)
        yield `${report.addresses.replaced} addresses changed`
        return { ...facts, ...report }
      }),
    },
    {
      name: 'files',
      title: 'Moving the files to the site',
      ...inOrder(
        removed(host, 'folder', docrootOf(user)),
        moved(host, filesIn(fetched), docrootOf(user)),
      ),
    },
  ]
}

/** Lists what the site of a backup had and the same site does not inherit. */
function notInherited(site: Site, former: Manifest['site']): string[] {
  const original = recordIn(former)
  if (!original || !isSame(site, original)) return []
  const { settings = {}, access = [] } = original
  const present = allNamesOf(site)
  const names = allNamesOf(original).filter((name) => !present.includes(name))
  const people = access.map(({ person }) => person)
  return [
    ...(names.length > 0
      ? [`its other addresses (${shortened(names)}): add them on the tab Domains`]
      : []),
    ...(original.names?.www === 'redirect' && site.names?.www !== 'redirect'
      ? ['the redirect between its address with and without www']
      : []),
    ...(people.length > 0
      ? [`the access of ${shortened(people)}: give it again on the tab Access`]
      : []),
    ...(original.suspended ? ['that it was suspended: visitors see it now'] : []),
    ...(settings.maintenance ? ['its maintenance page: visitors see the site now'] : []),
    ...(settings.page_purge ? ['the purge of its page cache by WordPress'] : []),
    ...(original.object_cache ? ['its object cache'] : []),
    ...(original.php === site.php ? [] : [`PHP ${original.php}: it has ${site.php} now`]),
    ...(original.tier === site.tier ? [] : [`the tier ${original.tier}: it has ${site.tier} now`]),
  ].map((what) => `Not taken over from the backup: ${what}`)
}

/** Returns whether the new site has the address of the original. */
const isSame = (site: Site, original: Site): boolean =>
  !site.staging && apexOf(site.domain) === apexOf(original.domain)

const SHOWN = 10

function shortened(names: readonly string[]): string {
  const more = names.length - SHOWN
  return more > 0 ? `${names.slice(0, SHOWN).join(', ')} and ${more} more` : names.join(', ')
}

type CloneRun = CommandRun<'site.clone', { site: Site }>

const inherited = stepResult<Site>('The settings of the original were not read')

/** Inherits the settings of the original and on request its jobs; a staging site has its own. */
function settingsSteps(
  { host, site, gives }: CloneRun,
  original: Site | undefined,
  with_jobs: boolean,
): Step[] {
  if (!original || site.staging) return []
  const { domain, jobs = [] } = original
  const taken = [...namesOf(inheritedOf(original)), ...(with_jobs ? jobsIn(jobs) : [])]
  if (taken.length === 0 && jobs.length === 0) return []
  return [
    {
      name: 'settings',
      title: `Taking over the settings of ${domain}: ${taken.join(', ') || 'none'}`,
      effects: taken.length > 0 ? [change('settings', site.domain)] : [],
      notes: async () => (with_jobs ? [] : leftOut(domain, jobs)),
      apply: gives(inherited, async () => {
        const present = await getSite(host, domain)
        const clone = inherit(site, inheritedOf(present))
        return with_jobs && present.jobs ? { ...clone, jobs: present.jobs } : clone
      }),
    },
  ]
}

type NamedJobs = readonly { name: string }[]

const namesIn = (jobs: NamedJobs) => jobs.map(({ name }) => name).join(', ')
const jobsIn = (jobs: NamedJobs) => (jobs.length > 0 ? [`cron jobs (${namesIn(jobs)})`] : [])

const leftOut = (domain: string, jobs: NamedJobs) =>
  jobs.length > 0 ? [`The clone does not get the cron jobs of ${domain}: ${namesIn(jobs)}.`] : []
