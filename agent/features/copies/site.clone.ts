import { type FromBackup, fetchBackupSteps } from '#agent/features/backups/fetch-backup.ts'
import { holdForReading, releaseAfterReading } from '#agent/features/backups/hold.ts'
import { forgetFetchedStep } from '#agent/features/backups/keep-state.ts'
import { type Manifest, userIn } from '#agent/features/backups/manifest.ts'
import { dumpIn, fetchedOf, filesIn } from '#agent/features/backups/places.ts'
import { refuseReplaced, refuseReplacing } from '#agent/features/backups/replace.ts'
import { resticSteps } from '#agent/features/backups/restic/program.ts'
import { refuseUnready } from '#agent/features/backups/restic/run.ts'
import { withSourcePassword } from '#agent/features/backups/restic/session.ts'
import { copyFiles } from '#agent/features/copies/clone/files.ts'
import { type Copied, findReport, writeReport } from '#agent/features/copies/clone/report.ts'
import { inherit, inheritedOf, namesOf } from '#agent/features/copies/clone/settings.ts'
import { refuseLackForCopy } from '#agent/features/copies/clone/space.ts'
import { cutOffCertificate } from '#agent/features/domains/cut-off.ts'
import { measureFiles } from '#agent/features/metrics/usage/measure.ts'
import { preparing, refuseKnownNames, warnOfCapacity } from '#agent/features/sites/new-site.ts'
import { certificateSteps, copySteps, databaseStep } from '#agent/features/sites/site-steps.ts'
import { awaitAnswer } from '#agent/features/web/front-page.ts'
import { configure, proveOwnDatabase } from '#agent/features/wordpress/addresses/config.ts'
import { copyDatabase, loadDump } from '#agent/features/wordpress/addresses/load.ts'
import { sameFolder } from '#agent/kernel/baseline/live-files.ts'
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
  command,
  type Job,
  type List,
  line,
  type Progress,
  ready,
  type Step,
  value,
} from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { SiteJobs } from '#shared/jobs/site-jobs.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import { copied, separateStep } from './separate-step.ts'

type Params = ParamsOf<'site.clone'>

/** A new site with the content of another one: the original is only read. */
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
          ...(await preparing(host, site, accept)),
          ...(from.kind === 'backup' ? await resticSteps(host) : []),
        ],
        () => refuseKnownNames(host, site),
      ),
      line(() => warnOfCapacity(host, site)),
      ...(await stepsOf(job)),
      after(
        () => certificateSteps(recorded(job), host, warn),
        () => cutOffCertificate(host, site.domain),
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

const siteOf = ({ accept: _, from: __, with_jobs: ___, ...site }: Params): Site => site

/** For the records of the dashboard; a site with the defaults has none. */
const settingsIn = (site: Site) =>
  namesOf(inheritedOf(site, { isSame: true })).length > 0 ? { settings: reportOf(site) } : {}

async function refuseUncopiable(host: Host, domain: string): Promise<void> {
  const site = await getSite(host, domain)
  await refuseReplacing(host, site)
  await refuseLackForCopy(host, site.user)
}

/** When the content of the original was last replaced, before it was read. */
const restored = value<number | undefined>('The jobs of the original were not paused')
const loaded = value<Omit<Copied, 'files'>>('The database was not copied')

/**
 * The content is complete before the site is public; the new site has access to its own database
 * only.
 */
async function stepsOf(job: Clone): Promise<List> {
  const { params, host, site, warn } = job
  const { from, with_jobs } = params
  const tell = (message: string) => warn({ code: 'left_out', message })
  const password = new Secret(host.random.text(32))
  const database = databaseStep(host, site, password)
  const content =
    from.kind === 'site'
      ? await steppedFromSite(job, { from: from.domain, tell, database, with_jobs })
      : backupSteps(job, { from, database, with_jobs, tell })
  const list = await copySteps(host, site, [...content, ...configSteps(job, password)], {
    recorded: () => recorded(job),
    probe: () => answering(host, site),
  })
  return from.kind === 'site' ? list : [...list, forgetFetchedStep(host, site)]
}

/** With what the clone has taken over by now. */
const recorded = ({ find, site }: Clone): Site => find(inherited) ?? find(brought)?.record ?? site

/** The owner is responsible for the content: an error page is copied like any other page. */
async function* answering(host: Host, { domain }: Site): Progress<void> {
  const problem = await awaitAnswer(host, domain)
  if (problem !== undefined) yield `Warning: ${domain} ${problem}`
}

interface FromSiteOptions {
  from: string
  tell: (message: string) => void
  database: Step
  with_jobs: boolean | undefined
}

/** The database first: a file that is added meanwhile has no row, but no row lacks its file. */
async function steppedFromSite(
  job: Clone,
  { from, tell, database, with_jobs = false }: FromSiteOptions,
): Promise<Step[]> {
  const { host, site, gives, get } = job
  const { user } = site
  const steady = host.steady ?? host
  // After a restart the original may be gone; its jobs are then, too.
  const known = await getSite(host, from).catch(() => undefined)
  const source = known?.user ?? ''
  const hold = holdForReading(host, source, user)
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
      undo: releaseAfterReading(steady, source, user).apply,
    },
    {
      name: 'load',
      title: `Copying the database of ${from}`,
      effects: [run('program', 'mariadb-dump'), change('database', user)],
      apply: gives(loaded, async function* () {
        const original = await getSite(host, from)
        const at = new Date(host.clock.now()).toISOString()
        const same = site.staging && { same: await sameFolder(host, original) }
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
      apply: gives(copied, async function* () {
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
      ...releaseAfterReading(host, source, user),
    },
  ]
}

function configSteps({ host, site, get }: Clone, password: Secret): Step[] {
  const { user } = site
  return [
    {
      name: 'config',
      title: 'Changing the configuration of the copy',
      effects: [change('file', `${docrootOf(user)}/wp-config.php`)],
      async apply() {
        await configure(host, get(copied).original, site, password)
        await proveOwnDatabase(host, site)
        await writeReport(host, user, get(copied))
      },
      undo: removedTree(host.steady ?? host, 'folder', restoresOf(user)).apply,
    },
    ...(site.staging ? [separateStep(host, site, { get })] : []),
  ]
}

interface FromBackupOptions {
  from: FromBackup
  database: Step
  with_jobs: boolean | undefined
  tell: (message: string) => void
}

/** `record`: that of the clone with what it takes over. */
type Brought = Omit<Copied, 'addresses' | 'digests'> & { record: Site }
const brought = value<Brought>('The backup was not read')

/** The record in a backup may be of another version: what this agent cannot read is left out. */
function takingOver(site: Site, former: Manifest['site'], with_jobs: boolean): Site {
  const recorded = recordIn(former)
  const clone = recorded
    ? inherit(site, inheritedOf(recorded, { isSame: isSame(site, recorded) }))
    : site
  return with_jobs ? { ...clone, jobs: SiteJobs.safeParse(former.jobs).data } : clone
}

/** The content of a backup. Everything is fetched and checked first, into a folder of root. */
function backupSteps(
  job: Clone,
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
      as: brought,
      async fetched(manifest) {
        const { at, domain, files, database: saved, site: former } = manifest
        const { bytes = 0, tables = 0 } = saved ?? {}
        for (const message of notTaken(site, former)) tell(message)
        return {
          ...{ at, tables, files: files.count, bytes: files.bytes + bytes },
          original: { domain, user: userIn(manifest) },
          // A staging site takes nothing over.
          record: site.staging ? site : takingOver(site, former, with_jobs),
        }
      },
      undo: removedTree(steady, 'folder', restoresOf(user)).apply,
    }),
    database,
    {
      name: 'load',
      title: 'Importing the database',
      effects: [change('database', user)],
      apply: gives(copied, async function* () {
        const facts = get(brought)
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

/**
 * What the site of a backup had, and the site that takes its address again does not have: nobody else
 * would notice. A copy with another address is not meant to be the same.
 */
function notTaken(site: Site, former: Manifest['site']): string[] {
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

/** Whether the new site takes the address of the original again. */
const isSame = (site: Site, original: Site): boolean =>
  !site.staging && apexOf(site.domain) === apexOf(original.domain)

const SHOWN = 10

function shortened(names: readonly string[]): string {
  const more = names.length - SHOWN
  return more > 0 ? `${names.slice(0, SHOWN).join(', ')} and ${more} more` : names.join(', ')
}

type Clone = Job<'site.clone', { site: Site }>

/** The record of a clone with what it takes over. */
const inherited = value<Site>('The settings of the original were not read')

/**
 * The settings of the original, and its cron jobs if they were asked for. A staging site has its own
 * rules, and runs no jobs.
 */
function settingsSteps(
  { host, site, gives }: Clone,
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

type Jobs = readonly { name: string }[]

const namesIn = (jobs: Jobs) => jobs.map(({ name }) => name).join(', ')
const jobsIn = (jobs: Jobs) => (jobs.length > 0 ? [`cron jobs (${namesIn(jobs)})`] : [])

const leftOut = (domain: string, jobs: Jobs) =>
  jobs.length > 0 ? [`The clone does not get the cron jobs of ${domain}: ${namesIn(jobs)}.`] : []
