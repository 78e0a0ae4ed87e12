import { type FromBackup, fetchBackupSteps } from '#agent/features/backups/fetch-backup.ts'
import type { Manifest } from '#agent/features/backups/manifest.ts'
import { dumpIn, fetchedOf, filesIn } from '#agent/features/backups/places.ts'
import { alignPassword } from '#agent/features/backups/replace.ts'
import { provideObjectCache } from '#agent/features/object-cache/programs.ts'
import { refuseTakenNames } from '#agent/features/sites/taken-names.ts'
import { bringBaseline, forgetBaseline } from '#agent/kernel/baseline/baseline.ts'
import { createAccount } from '#agent/kernel/database/account.ts'
import { importDatabase } from '#agent/kernel/database/import.ts'
import {
  createEmptyDatabase,
  databaseEffects,
  removeDatabase,
} from '#agent/kernel/database/mariadb.ts'
import { declared, inOrder, moved, removed, removedTree } from '#agent/kernel/effects/change.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import { docrootOf, restoresOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { type Job, type Step, value } from '#agent/kernel/steps/command.ts'
import { limitDisk } from '#agent/kernel/users/quota.ts'
import { SiteJobs } from '#shared/jobs/site-jobs.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { SiteNames } from '#shared/kernel/site-names.ts'
import { ObjectCache } from '#shared/object-cache/object-cache.ts'
import { SiteSettings } from '#shared/sites/site-settings.ts'
import { proveDatabase } from './prove.ts'

export type Receive = Job<'site.receive', { site: Site }>

const brought = value<Manifest>('The backup was not read')

/** The record of the site with what its backup has of it. */
function recordedIn(site: Site, former: Manifest['site']): Site {
  return {
    ...site,
    settings: SiteSettings.safeParse(former.settings).data,
    jobs: SiteJobs.safeParse(former.jobs).data,
    names: SiteNames.safeParse(former.names).data,
    object_cache: ObjectCache.safeParse(former.object_cache).data,
  }
}

/** As far as it is known by now. */
export function recorded({ find, site }: Receive): Site {
  const manifest = find(brought)
  return manifest ? recordedIn(site, manifest.site) : site
}

/** Everything is fetched and checked first. Nothing of the content changes: it is the same site. */
export function receiveSteps(job: Receive, from: FromBackup): Step[] {
  const { host, site, get } = job
  const { user, domain } = site
  const password = new Secret(host.random.text(32))
  const steady = host.steady ?? host
  const fetched = fetchedOf(user)
  return [
    ...fetchBackupSteps(job, {
      from,
      prepare: removedTree(host, 'folder', fetched).apply,
      async check(manifest) {
        if (manifest.domain !== domain) throw conflict(`The backup is one of ${manifest.domain}`)
        await refuseTakenNames(host, recordedIn(site, manifest.site))
      },
      as: brought,
      async fetched(manifest) {
        await provideObjectCache(host, recordedIn(site, manifest.site))
        return manifest
      },
      undo: removedTree(steady, 'folder', restoresOf(user)).apply,
    }),
    {
      name: 'database',
      title: 'Creating the database',
      effects: databaseEffects(user),
      async apply() {
        await createEmptyDatabase(host, user, get(brought).database ?? undefined)
        await createAccount(host, site, password)
      },
      undo: removeDatabase(steady, user).apply,
    },
    {
      name: 'load',
      title: 'Importing the database',
      effects: [change('database', user)],
      apply: () => importDatabase(host, user, dumpIn(fetched), 'leave_some'),
    },
    {
      name: 'files',
      title: 'Moving the files to the site',
      ...inOrder(
        removed(host, 'folder', docrootOf(user)),
        moved(host, filesIn(fetched), docrootOf(user)),
        removedTree(host, 'folder', fetched),
        declared([], () => limitDisk(host, site)),
      ),
    },
    {
      name: 'password',
      title: 'Setting the database password from wp-config.php',
      effects: [change('account', user)],
      async apply() {
        await alignPassword(host, site)
        await proveDatabase(host, site)
      },
    },
    ...(site.staging ? [baselineStep(job)] : []),
  ]
}

/** What its tables are compared with before a push. */
const baselineStep = ({ host, site, get }: Receive): Step => ({
  name: 'baseline',
  title: 'Taking over the records of the tables',
  effects: [],
  apply: () => bringBaseline(host, site, get(brought).baseline),
  undo: () => forgetBaseline(host.steady ?? host, site.domain),
})
