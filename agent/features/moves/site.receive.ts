import { type FromBackup, fetchBackupSteps } from '#agent/features/backups/fetch-backup.ts'
import type { Manifest } from '#agent/features/backups/manifest.ts'
import { dumpIn, fetchedOf, filesIn } from '#agent/features/backups/places.ts'
import { alignPassword } from '#agent/features/backups/replace.ts'
import { resticSteps } from '#agent/features/backups/restic/program.ts'
import { refuseUnready } from '#agent/features/backups/restic/run.ts'
import { withSourcePassword } from '#agent/features/backups/restic/session.ts'
import { certificateTextOf } from '#agent/features/domains/certificate-text.ts'
import { cutOffCertificate } from '#agent/features/domains/cut-off.ts'
import { provideObjectCache } from '#agent/features/object-cache/programs.ts'
import { preparing, refuseKnownNames, warnOfCapacity } from '#agent/features/sites/new-site.ts'
import { certificateSteps, copySteps } from '#agent/features/sites/site-steps.ts'
import { refuseTakenNames } from '#agent/features/sites/taken-names.ts'
import { wordpressFailure } from '#agent/features/wordpress/failure.ts'
import { runWpCli } from '#agent/features/wordpress/wp-cli.ts'
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
import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { docrootOf, restoresOf } from '#agent/kernel/site/paths.ts'
import { findSite, type Site } from '#agent/kernel/site/sites.ts'
import {
  after,
  command,
  type Job,
  type List,
  line,
  ready,
  type Step,
  value,
} from '#agent/kernel/steps/command.ts'
import { limitDisk } from '#agent/kernel/users/quota.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { SiteJobs } from '#shared/jobs/site-jobs.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { SiteNames } from '#shared/kernel/site-names.ts'
import { ObjectCache } from '#shared/object-cache/object-cache.ts'
import { SiteSettings } from '#shared/sites/site-settings.ts'

type Params = ParamsOf<'site.receive'>

/** The same site as on its server, with the same user and files: it serves only that server. */
export const siteReceive = command('site.receive', {
  lock: onSite.lock,
  withSecrets: withSourcePassword,
  async check(params, host) {
    const site = siteOf(params)
    await refuseUnfit(host, site, params)
    return { site }
  },
  find: async (params) => ({ site: siteOf(params) }),
  async steps(job) {
    const { params, host, site, warn } = job
    return [
      ready(
        async () => [...(await preparing(host, site, params.accept)), ...(await resticSteps(host))],
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
  result: ({ host, site }) => resultOf(host, site),
})

const resultOf = async (host: Host, { domain, staging }: Site) => ({
  ...{ domain, certificate: await certificateTextOf(host, domain) },
  ...(staging && { staging: true as const }),
})

const siteOf = ({ accept: _, from: __, peers, ...site }: Params): Site => ({
  ...site,
  moving: { from: peers, closed: true },
})

/** The other server shows the front page of the site: this copy only has to answer. */
async function stepsOf(job: Receive): Promise<List> {
  const { params, host, site } = job
  if (params.from.kind !== 'backup') return []
  return copySteps(host, site, receiveSteps(job, params.from), {
    recorded: () => recorded(job),
    probe: async () => undefined,
  })
}

async function refuseUnfit(host: Host, site: Site, { from }: Params): Promise<void> {
  if (from.kind !== 'backup') throw conflict('A site is received from a backup only')
  await refuseUnready(host, from.target)
  if (await findSite(host, site.domain, 'moved')) {
    throw conflict(`${site.domain} has moved away from this server: move it back, or confirm that`)
  }
}

type Receive = Job<'site.receive', { site: Site }>

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
function recorded({ find, site }: Receive): Site {
  const manifest = find(brought)
  return manifest ? recordedIn(site, manifest.site) : site
}

/** Everything is fetched and checked first. Nothing of the content changes: it is the same site. */
function receiveSteps(job: Receive, from: FromBackup): Step[] {
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

/** Starts WordPress without plugins and theme, and proves that it reaches its database here. */
async function proveDatabase(host: Host, site: Site): Promise<void> {
  const { user } = site
  const code = `<?php
global $wpdb;
if ($wpdb->get_var('SELECT DATABASE()') !== '${user}') {
  WP_CLI::error('wp-config.php leads to another database');
}
`
  const args = ['--skip-plugins', '--skip-themes', 'eval-file', '-']
  const output = await runWpCli(host, site, args, code)
  if (output.code === 0) return
  throw wordpressFailure(site, output, 'WordPress does not start on this server')
}
