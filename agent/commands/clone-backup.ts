import type { Host } from '#agent/host/ports.ts'
import { type Manifest, userIn } from '#agent/os/backup/manifest.ts'
import { dumpIn, fetchedOf, filesIn } from '#agent/os/backup/places.ts'
import { loadDump } from '#agent/os/clone/load.ts'
import { isSame, notTaken } from '#agent/os/clone/not-taken.ts'
import type { Learned } from '#agent/os/clone/report.ts'
import { inherit, inheritedOf } from '#agent/os/clone/settings.ts'
import { inOrder, moved, removed, removedTree } from '#agent/os/effects/change.ts'
import { change } from '#agent/os/effects/effects.ts'
import { docrootOf, restoresOf } from '#agent/os/site/paths.ts'
import { recordIn, type Site } from '#agent/os/site/sites.ts'
import type { Step } from '#agent/steps/command.ts'
import { SiteJobs } from '#shared/site-jobs.ts'
import { type FromBackup, fetchBackupSteps } from './fetch-backup.ts'

interface FromBackupOptions {
  from: FromBackup
  learned: Learned
  database: Step
  with_jobs: boolean | undefined
  tell: (message: string) => void
}

/** The record in a backup may be of another version: what this agent cannot read is left out. */
function takeOver(site: Site, former: Manifest['site'], with_jobs: boolean): void {
  const recorded = recordIn(former)
  if (recorded) inherit(site, inheritedOf(recorded, { isSame: isSame(site, recorded) }))
  if (with_jobs) site.jobs = SiteJobs.safeParse(former.jobs).data
}

/** The content of a backup. Everything is fetched and checked first, into a folder of root. */
export function backupSteps(
  host: Host,
  site: Site,
  { from, learned, database, with_jobs = true, tell }: FromBackupOptions,
): Step[] {
  const { user } = site
  const steady = host.steady ?? host
  const fetched = fetchedOf(user)
  return [
    ...fetchBackupSteps(host, site, {
      from,
      prepare: removedTree(host, 'folder', fetched).apply,
      async fetched(manifest) {
        const { at, domain, files, database: saved, site: former } = manifest
        const { bytes = 0, tables = 0 } = saved ?? {}
        const facts = { at, tables, files: files.count, bytes: files.bytes + bytes }
        Object.assign(learned, { ...facts, original: { domain, user: userIn(manifest) } })
        // The steps after this one apply and record them; a staging site has none.
        if (!site.staging) takeOver(site, former, with_jobs)
        for (const message of notTaken(site, former)) tell(message)
      },
      undo: removedTree(steady, 'folder', restoresOf(user)).apply,
    }),
    database,
    {
      name: 'load',
      title: 'Importing the database',
      effects: [change('database', user)],
      async *apply() {
        const { original } = learned
        if (!original) throw new Error('The backup was not read')
        const report = await loadDump(host, dumpIn(fetched), original, site)
        Object.assign(learned, report)
        yield `${report.addresses.replaced} addresses changed`
      },
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
