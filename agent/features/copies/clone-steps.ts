import { holdForReading, releaseAfterReading } from '#agent/features/backups/hold.ts'
import { forgetFetchedStep } from '#agent/features/backups/keep-state.ts'
import { refuseReplaced, refuseReplacing } from '#agent/features/backups/replace.ts'
import { copyFiles } from '#agent/features/copies/clone/files.ts'
import { type Copied, writeReport } from '#agent/features/copies/clone/report.ts'
import { measureFiles } from '#agent/features/metrics/usage/measure.ts'
import { copySteps, databaseStep } from '#agent/features/sites/site-steps.ts'
import { awaitAnswer } from '#agent/features/web/front-page.ts'
import { configure, proveOwnDatabase } from '#agent/features/wordpress/addresses/config.ts'
import { copyDatabase } from '#agent/features/wordpress/addresses/load.ts'
import { sameFolder } from '#agent/kernel/baseline/live-files.ts'
import { removedTree } from '#agent/kernel/effects/change.ts'
import { change, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { sizeOf } from '#agent/kernel/host/report-progress.ts'
import { docrootOf, restoresOf } from '#agent/kernel/site/paths.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { type List, type Progress, type Step, value } from '#agent/kernel/steps/command.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { backupSteps, brought } from './clone-backup.ts'
import { type Clone, inherited, settingsSteps } from './clone-settings.ts'
import { copied, separateStep } from './separate-step.ts'

/** When the content of the original was last replaced, before it was read. */
const restored = value<number | undefined>('The jobs of the original were not paused')
const loaded = value<Omit<Copied, 'files'>>('The database was not copied')

/**
 * The content is complete before the site is public; the new site has access to its own database
 * only.
 */
export async function stepsOf(job: Clone): Promise<List> {
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
export const recorded = ({ find, site }: Clone): Site =>
  find(inherited) ?? find(brought)?.record ?? site

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
