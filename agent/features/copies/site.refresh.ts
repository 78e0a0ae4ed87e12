import { fetchBackupSteps } from '#agent/features/backups/fetch-backup.ts'
import { holdForReading, releaseAfterReading } from '#agent/features/backups/hold.ts'
import {
  forgetFetched,
  forgetFetchedStep,
  keepStep,
  recordStep,
} from '#agent/features/backups/keep-state.ts'
import { userIn } from '#agent/features/backups/manifest.ts'
import { dumpIn, fetchedOf } from '#agent/features/backups/places.ts'
import * as replace from '#agent/features/backups/replace.ts'
import { refuseReplaced, refuseReplacing } from '#agent/features/backups/replace.ts'
import { databaseSteps, filesStep } from '#agent/features/backups/replacing.ts'
import { resticSteps } from '#agent/features/backups/restic/program.ts'
import { refuseUnready } from '#agent/features/backups/restic/run.ts'
import { withSourcePassword } from '#agent/features/backups/restic/session.ts'
import { withRoomForCopy } from '#agent/features/backups/room.ts'
import { pauseSteps, resumeSteps } from '#agent/features/backups/switch.ts'
import { writeReport } from '#agent/features/copies/clone/report.ts'
import { refuseLackForCopy } from '#agent/features/copies/clone/space.ts'
import { fetchSite, prepareFetched } from '#agent/features/copies/staging/files.ts'
import { certificateOf } from '#agent/features/web/nginx.ts'
import { configure, proveOwnDatabase } from '#agent/features/wordpress/addresses/config.ts'
import { copyDatabase, loadDump } from '#agent/features/wordpress/addresses/load.ts'
import { setUrl } from '#agent/features/wordpress/wordpress.ts'
import { sameFolder } from '#agent/kernel/baseline/live-files.ts'
import { mariadbSteps } from '#agent/kernel/database/mariadb.ts'
import { change, create, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { sizeOf } from '#agent/kernel/host/report-progress.ts'
import { onSite, warnOfCleanup } from '#agent/kernel/site/on-site.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { command, type Job, ready, type Step, value } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import type { CopySource } from '#shared/copies/copy.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { factsOf, getResult } from './replacement.ts'
import { copied, separateStep } from './separate-step.ts'

type Params = ParamsOf<'site.refresh'>

/** Everything is fetched before the staging site changes; one rename of a folder decides. */
export const siteRefresh = command('site.refresh', {
  ...onSite,
  withSecrets: withSourcePassword,
  check: async (params, host) => ({ site: await checked(host, params) }),
  steps: (job) => [ready(() => preparing(job.host, job.params)), ...stepsOf(job)],
  unfinished: warnOfCleanup,
  result: ({ params: { domain }, host }) => getResult(host, domain),
})

/** Throws conflict for a site that visitors and search engines know. */
async function checked(host: Host, { domain, from }: Params): Promise<Site> {
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

const preparing = async (host: Host, { from }: Params): Promise<Step[]> => [
  ...(from.kind === 'backup' ? await resticSteps(host) : []),
  ...(await mariadbSteps(host)),
]

function stepsOf(job: Refresh): Step[] {
  const { params, host, site, get, warn } = job
  const { user } = site
  const tell = (message: string) => warn({ code: 'left_out', message })
  return [
    ...fetchSteps(job, params.from, tell),
    ...pauseSteps(host, site),
    keepStep(host, user, () => factsOf(host, get(copied))),
    ...databaseSteps(host, site, undefined, tell),
    filesStep(host, user, undefined),
    ...separationSteps(job),
    ...resumeSteps(host, site),
    recordStep(host, user),
    forgetFetchedStep(host, site),
  ]
}

/** The copy gets its own database, keys and addresses, and does nothing in the name of the live site. */
function separationSteps({ host, site, get }: Refresh): Step[] {
  return [
    {
      name: 'config',
      title: 'Changing the configuration of the copy',
      effects: [change('file', `${docrootOf(site.user)}/wp-config.php`)],
      async apply() {
        await configure(host, get(copied).original, site, new Secret(host.random.text(32)))
        await replace.alignPassword(host, site)
        await proveOwnDatabase(host, site)
        if (await certificateOf(host, site.domain)) await setUrl(host, site, 'https')
        await writeReport(host, site.user, get(copied))
      },
      undo: () => replace.alignPassword(host.steady ?? host, site),
    },
    separateStep(host, site, { get }),
  ]
}

type Refresh = Job<'site.refresh', { site: Site }>

type Tell = (message: string) => void
type From<K extends CopySource['kind']> = Extract<CopySource, { kind: K }>

/** The user of the original, and when its content was last replaced, before it was read. */
const held = value<{ user: string; restored: number | undefined }>('The jobs were not paused')

/** Everything is fetched before the site changes, with the addresses of the site. */
const fetchSteps = (job: Refresh, from: CopySource, tell: Tell): Step[] =>
  from.kind === 'site' ? fromSite(job, from, tell) : fromBackup(job, from)

/** The database first: a file that is added meanwhile has no row, but no row lacks its file. */
function fromSite(
  { host, site, gives, get, find }: Refresh,
  from: From<'site'>,
  tell: Tell,
): Step[] {
  const steady = host.steady ?? host
  // The original may be renamed or deleted meanwhile. After a restart of the agent nothing is noted.
  const jobs = async (action: typeof holdForReading) =>
    action(steady, find(held)?.user ?? (await getSite(host, from.domain)).user, site.user)
  return [
    {
      name: 'hold',
      title: `Pausing the jobs of ${from.domain}`,
      effects: async () => (await jobs(holdForReading)).effects(),
      apply: gives(held, async () => {
        const original = await getSite(host, from.domain)
        const restored = await refuseReplacing(host, original)
        await holdForReading(steady, original.user, site.user).apply()
        return { user: original.user, restored }
      }),
      undo: async () => (await jobs(releaseAfterReading).catch(() => undefined))?.apply(),
    },
    {
      name: 'fetch',
      title: `Copying the database and the files of ${from.domain}`,
      effects: [run('program', 'mariadb-dump'), create('folder', fetchedOf(site.user))],
      apply: gives(copied, async function* () {
        const original = await getSite(host, from.domain)
        const folder = await prepareFetched(host, site.user)
        const at = new Date(host.clock.now()).toISOString()
        const same = await sameFolder(host, original)
        const dump = await copyDatabase(host, original, site, { path: dumpIn(folder) })
        const { warnings, ...database } = dump
        for (const message of warnings) tell(message)
        yield `Copied ${dump.tables} tables: ${sizeOf(dump.bytes)}`
        const bytes = yield* withRoomForCopy(host, site, [original], () =>
          fetchSite(host, original, site),
        )
        await refuseReplaced(host, original, get(held).restored, 'copy')
        yield `Copied the files: ${sizeOf(bytes)}`
        return { original, at, same, ...database, files: 0, bytes: dump.bytes + bytes }
      }),
      undo: () => forgetFetched(steady, site),
    },
    {
      name: 'continue',
      title: `Resuming the jobs of ${from.domain}`,
      effects: async () => (await jobs(releaseAfterReading)).effects(),
      apply: async () => (await jobs(releaseAfterReading)).apply(),
    },
  ]
}

function fromBackup(job: Refresh, from: From<'backup'>): Step[] {
  const { host, site } = job
  const { user } = site
  const folder = fetchedOf(user)
  return fetchBackupSteps(job, {
    from,
    async prepare() {
      await prepareFetched(host, user)
    },
    as: copied,
    async fetched(manifest) {
      const { at, domain, files, database } = manifest
      const original = { domain, user: userIn(manifest) }
      const path = `${dumpIn(folder)}.new`
      const report = await loadDump(host, dumpIn(folder), original, site, { path })
      await host.files.rename(path, dumpIn(folder))
      const amounts = { tables: database?.tables ?? 0, files: 0, bytes: files.bytes }
      return { at, original, ...amounts, ...report }
    },
    undo: () => forgetFetched(host.steady ?? host, site),
  })
}
