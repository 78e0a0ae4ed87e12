import type { Host } from '#agent/host/ports.ts'
import { sizeOf } from '#agent/host/report-progress.ts'
import { holdForReading, releaseAfterReading } from '#agent/os/backup/hold.ts'
import { forgetFetchedStep } from '#agent/os/backup/keep-state.ts'
import { refuseReplaced, refuseReplacing } from '#agent/os/backup/replace.ts'
import { configure, proveOwnDatabase } from '#agent/os/clone/config.ts'
import { copyFiles } from '#agent/os/clone/files.ts'
import { copyDatabase } from '#agent/os/clone/load.ts'
import { type Learned, reportIn, writeReport } from '#agent/os/clone/report.ts'
import { removedTree } from '#agent/os/effects/change.ts'
import { change, run } from '#agent/os/effects/effects.ts'
import { awaitAnswer } from '#agent/os/nginx/front-page.ts'
import { docrootOf, restoresOf } from '#agent/os/site/paths.ts'
import { getSite, type Site } from '#agent/os/site/sites.ts'
import { sameFolder } from '#agent/os/staging/live-files.ts'
import { measureFiles } from '#agent/os/usage/measure.ts'
import type { Progress, Step } from '#agent/steps/command.ts'
import type { CopySource } from '#shared/copy.ts'
import { Secret } from '#shared/secret.ts'
import { backupSteps } from './clone-backup.ts'
import { settingsSteps } from './clone-settings.ts'
import { separateStep } from './separate-step.ts'
import { databaseStep, siteSteps } from './site-steps.ts'

type FromSite = Extract<CopySource, { kind: 'site' }>
type Tell = (message: string) => void

/**
 * The content is complete before the site is public; the new site has access to its own database
 * only.
 */
export async function stepsOf(
  site: Site,
  from: CopySource,
  host: Host,
  learned: Learned,
  { with_jobs, tell }: { with_jobs?: boolean | undefined; tell: Tell },
): Promise<Step[]> {
  const password = new Secret(host.random.text(32))
  const database = databaseStep(host, site, password)
  const brought =
    from.kind === 'site'
      ? await steppedFromSite(host, site, { from, learned, tell, database, with_jobs })
      : backupSteps(host, site, { from, learned, database, with_jobs, tell })
  const content = [...brought, ...configSteps(host, site, password, learned)]
  const steps = await siteSteps(site, host, content, () => answering(host, site))
  if (from.kind === 'site') return steps
  return [...steps, forgetFetchedStep(host, site)]
}

/** The owner is responsible for the content: an error page is copied like any other page. */
async function* answering(host: Host, { domain }: Site): Progress<void> {
  const problem = await awaitAnswer(host, domain)
  if (problem !== undefined) yield `Warning: ${domain} ${problem}`
}

interface FromSiteOptions {
  from: FromSite
  learned: Learned
  tell: Tell
  database: Step
  with_jobs: boolean | undefined
}

/** The database first: a file that is added meanwhile has no row, but no row lacks its file. */
async function steppedFromSite(
  host: Host,
  site: Site,
  { from, learned, tell, database, with_jobs = false }: FromSiteOptions,
): Promise<Step[]> {
  const { user } = site
  const steady = host.steady ?? host
  // After a restart the original may be gone; its jobs are then, too.
  const original = await getSite(host, from.domain).catch(() => undefined)
  const source = original?.user ?? ''
  const hold = holdForReading(host, source, user)
  return [
    ...settingsSteps(host, site, original, with_jobs),
    database,
    {
      name: 'jobs',
      title: `Pausing the jobs of ${from.domain}`,
      effects: hold.effects,
      async apply() {
        learned.restored = await refuseReplacing(host, await getSite(host, from.domain))
        await hold.apply()
      },
      undo: releaseAfterReading(steady, source, user).apply,
    },
    {
      name: 'load',
      title: `Copying the database of ${from.domain}`,
      effects: [run('program', 'mariadb-dump'), change('database', user)],
      async *apply() {
        const present = await getSite(host, from.domain)
        learned.original = present
        learned.at = new Date(host.clock.now()).toISOString()
        if (site.staging) learned.same = await sameFolder(host, present)
        const { warnings, ...report } = await copyDatabase(host, present, site)
        const { bytes, tables, addresses } = report
        for (const message of warnings) tell(message)
        Object.assign(learned, report)
        yield `Copied ${tables} tables: ${sizeOf(bytes)}, ${addresses.replaced} addresses changed`
      },
    },
    {
      name: 'files',
      title: `Copying the files of ${from.domain}`,
      effects: [run('program', 'tar'), change('folder', docrootOf(user))],
      async *apply() {
        const present = await getSite(host, from.domain)
        const bytes = await copyFiles(host, present, site)
        await refuseReplaced(host, present, learned.restored, 'copy')
        learned.files = (await measureFiles(host, user)) ?? 0
        learned.bytes = (learned.bytes ?? 0) + bytes
        yield `Copied ${learned.files} files: ${sizeOf(bytes)}`
      },
    },
    {
      name: 'release',
      title: `Resuming the jobs of ${from.domain}`,
      ...releaseAfterReading(host, source, user),
    },
  ]
}

function configSteps(host: Host, site: Site, password: Secret, learned: Learned): Step[] {
  const { user } = site
  return [
    {
      name: 'config',
      title: 'Changing the configuration of the copy',
      effects: [change('file', `${docrootOf(user)}/wp-config.php`)],
      async apply() {
        const { original } = learned
        if (!original) throw new Error('The original is not known')
        await configure(host, original, site, password)
        await proveOwnDatabase(host, site)
        await writeReport(host, user, reportIn(learned))
      },
      undo: removedTree(host.steady ?? host, 'folder', restoresOf(user)).apply,
    },
    ...(site.staging ? [separateStep(host, site, learned)] : []),
  ]
}
