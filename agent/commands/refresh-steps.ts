import type { Host } from '#agent/host/ports.ts'
import { sizeOf } from '#agent/host/report-progress.ts'
import { holdForReading, releaseAfterReading } from '#agent/os/backup/hold.ts'
import { forgetFetched } from '#agent/os/backup/keep-state.ts'
import { userIn } from '#agent/os/backup/manifest.ts'
import { dumpIn, fetchedOf } from '#agent/os/backup/places.ts'
import { refuseReplaced, refuseReplacing } from '#agent/os/backup/replace.ts'
import { withRoomForCopy } from '#agent/os/backup/room.ts'
import { copyDatabase, loadDump } from '#agent/os/clone/load.ts'
import type { Learned as Copied } from '#agent/os/clone/report.ts'
import { create, run } from '#agent/os/effects/effects.ts'
import { getSite, type Site } from '#agent/os/site/sites.ts'
import { fetchSite, prepareFetched } from '#agent/os/staging/files.ts'
import { sameFolder } from '#agent/os/staging/live-files.ts'
import type { Step } from '#agent/steps/command.ts'
import type { CopySource } from '#shared/copy.ts'
import { fetchBackupSteps } from './fetch-backup.ts'

/** What the operation finds out while it runs. */
export interface Learned extends Copied {
  until?: string
}

interface Fetching<K extends CopySource['kind']> {
  from: Extract<CopySource, { kind: K }>
  learned: Learned
  tell(message: string): void
}

/** Everything is fetched before the site changes, with the addresses of the site. */
export const fetchSteps = (
  host: Host,
  site: Site,
  { from, ...more }: Omit<Fetching<'site'>, 'from'> & { from: CopySource },
): Step[] =>
  from.kind === 'site'
    ? fromSite(host, site, { from, ...more })
    : fromBackup(host, site, { from, ...more })

/** The database first: a file that is added meanwhile has no row, but no row lacks its file. */
function fromSite(host: Host, site: Site, { from, learned, tell }: Fetching<'site'>): Step[] {
  const steady = host.steady ?? host
  // The original may be renamed or deleted meanwhile. After a restart of the agent nothing is noted.
  let held: string | undefined
  const jobs = async (action: typeof holdForReading) =>
    action(steady, held ?? (await getSite(host, from.domain)).user, site.user)
  return [
    {
      name: 'hold',
      title: `Pausing the jobs of ${from.domain}`,
      effects: async () => (await jobs(holdForReading)).effects(),
      async apply() {
        const original = await getSite(host, from.domain)
        learned.restored = await refuseReplacing(host, original)
        held = original.user
        await (await jobs(holdForReading)).apply()
      },
      undo: async () => (await jobs(releaseAfterReading).catch(() => undefined))?.apply(),
    },
    {
      name: 'fetch',
      title: `Copying the database and the files of ${from.domain}`,
      effects: [run('program', 'mariadb-dump'), create('folder', fetchedOf(site.user))],
      async *apply() {
        const original = await getSite(host, from.domain)
        const folder = await prepareFetched(host, site.user)
        learned.at = new Date(host.clock.now()).toISOString()
        learned.same = await sameFolder(host, original)
        const dump = await copyDatabase(host, original, site, { path: dumpIn(folder) })
        for (const message of dump.warnings) tell(message)
        yield `Copied ${dump.tables} tables: ${sizeOf(dump.bytes)}`
        const bytes = yield* withRoomForCopy(host, site, [original], () =>
          fetchSite(host, original, site),
        )
        await refuseReplaced(host, original, learned.restored, 'copy')
        yield `Copied the files: ${sizeOf(bytes)}`
        const { tables, addresses, digests } = dump
        Object.assign(learned, { original, tables, addresses, digests, bytes: dump.bytes + bytes })
      },
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

function fromBackup(host: Host, site: Site, { from, learned }: Fetching<'backup'>): Step[] {
  const { user } = site
  const folder = fetchedOf(user)
  return fetchBackupSteps(host, site, {
    from,
    async prepare() {
      await prepareFetched(host, user)
    },
    async fetched(manifest) {
      const { at, domain, files, database } = manifest
      const original = { domain, user: userIn(manifest) }
      const path = `${dumpIn(folder)}.new`
      const report = await loadDump(host, dumpIn(folder), original, site, { path })
      await host.files.rename(path, dumpIn(folder))
      const facts = { at, tables: database?.tables ?? 0, bytes: files.bytes, original }
      Object.assign(learned, { ...facts, ...report })
    },
    undo: () => forgetFetched(host.steady ?? host, site),
  })
}
