import { fetchBackupSteps } from '#agent/features/backups/fetch-backup.ts'
import { holdForReading, releaseAfterReading } from '#agent/features/backups/hold.ts'
import { forgetFetched } from '#agent/features/backups/keep-state.ts'
import { userIn } from '#agent/features/backups/manifest.ts'
import { dumpIn, fetchedOf } from '#agent/features/backups/places.ts'
import { refuseReplaced, refuseReplacing } from '#agent/features/backups/replace.ts'
import { withRoomForCopy } from '#agent/features/backups/room.ts'
import { fetchSite, prepareFetched } from '#agent/features/copies/staging/files.ts'
import { copyDatabase, loadDump } from '#agent/features/wordpress/addresses/load.ts'
import { sameFolder } from '#agent/kernel/baseline/live-files.ts'
import { create, run } from '#agent/kernel/effects/effects.ts'
import { sizeOf } from '#agent/kernel/host/report-progress.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { type Job, type Step, value } from '#agent/kernel/steps/command.ts'
import type { CopySource } from '#shared/copies/copy.ts'
import { copied } from './separate-step.ts'

export type Refresh = Job<'site.refresh', { site: Site }>

type Tell = (message: string) => void
type From<K extends CopySource['kind']> = Extract<CopySource, { kind: K }>

/** The user of the original, and when its content was last replaced, before it was read. */
const held = value<{ user: string; restored: number | undefined }>('The jobs were not paused')

/** Everything is fetched before the site changes, with the addresses of the site. */
export const fetchSteps = (job: Refresh, from: CopySource, tell: Tell): Step[] =>
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
