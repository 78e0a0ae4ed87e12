import { type FromBackup, fetchBackupSteps } from '#agent/features/backups/fetch-backup.ts'
import { type Manifest, userIn } from '#agent/features/backups/manifest.ts'
import { dumpIn, fetchedOf, filesIn } from '#agent/features/backups/places.ts'
import { isSame, notTaken } from '#agent/features/copies/clone/not-taken.ts'
import type { Copied } from '#agent/features/copies/clone/report.ts'
import { inherit, inheritedOf } from '#agent/features/copies/clone/settings.ts'
import { loadDump } from '#agent/features/wordpress/addresses/load.ts'
import { inOrder, moved, removed, removedTree } from '#agent/kernel/effects/change.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import { docrootOf, restoresOf } from '#agent/kernel/site/paths.ts'
import { recordIn, type Site } from '#agent/kernel/site/sites.ts'
import { type Step, value } from '#agent/kernel/steps/command.ts'
import { SiteJobs } from '#shared/jobs/site-jobs.ts'
import type { Clone } from './clone-settings.ts'
import { copied } from './separate-step.ts'

interface FromBackupOptions {
  from: FromBackup
  database: Step
  with_jobs: boolean | undefined
  tell: (message: string) => void
}

/** `record`: that of the clone with what it takes over. */
type Brought = Omit<Copied, 'addresses' | 'digests'> & { record: Site }
export const brought = value<Brought>('The backup was not read')

/** The record in a backup may be of another version: what this agent cannot read is left out. */
function takingOver(site: Site, former: Manifest['site'], with_jobs: boolean): Site {
  const recorded = recordIn(former)
  const clone = recorded
    ? inherit(site, inheritedOf(recorded, { isSame: isSame(site, recorded) }))
    : site
  return with_jobs ? { ...clone, jobs: SiteJobs.safeParse(former.jobs).data } : clone
}

/** The content of a backup. Everything is fetched and checked first, into a folder of root. */
export function backupSteps(
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
