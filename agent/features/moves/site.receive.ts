import { type BackupSource, fetchBackupSteps } from '#agent/features/backups/fetch-backup.ts'
import type { Manifest } from '#agent/features/backups/manifest.ts'
import { dumpIn, fetchedOf, filesIn } from '#agent/features/backups/paths.ts'
import { syncDatabasePassword } from '#agent/features/backups/replace.ts'
import { resticSteps } from '#agent/features/backups/restic/program.ts'
import { refuseUnready } from '#agent/features/backups/restic/run.ts'
import { withSourcePassword } from '#agent/features/backups/restic/session.ts'
import { recordInterruptedIssue } from '#agent/features/domains/interrupted-issue.ts'
import { certificateTextOf } from '#agent/features/domains/served-certificate.ts'
import { provideObjectCache } from '#agent/features/object-cache/programs.ts'
import {
  preparationSteps,
  refuseKnownNames,
  warnOfCapacity,
} from '#agent/features/sites/new-site.ts'
import { refuseTakenNames } from '#agent/features/sites/refuse-taken-names.ts'
import { certificateSteps, copySteps } from '#agent/features/sites/site-steps.ts'
import { wordpressFailure } from '#agent/features/wordpress/failure.ts'
import { runWpCli } from '#agent/features/wordpress/wp-cli.ts'
import { forgetBaseline, restoreBaseline } from '#agent/kernel/baseline/baseline.ts'
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
  type CommandRun,
  command,
  line,
  ready,
  type Step,
  type StepList,
  stepResult,
} from '#agent/kernel/steps/command.ts'
import { limitDisk } from '#agent/kernel/users/quota.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { SiteJobs } from '#shared/jobs/site-jobs.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { SiteNames } from '#shared/kernel/site-names.ts'
import { ObjectCache } from '#shared/object-cache/object-cache.ts'
import { SiteSettings } from '#shared/sites/site-settings.ts'

type ReceiveParams = ParamsOf<'site.receive'>

/** Creates the same site as on the other server, which is the only one that it serves. */
export const siteReceive = command('site.receive', {
  lock: onSite.lock,
  withSecrets: withSourcePassword,
  async check(params, host) {
    const site = siteOf(params)
    await refuseUnavailable(host, site, params)
    return { site }
  },
  find: async (params) => ({ site: siteOf(params) }),
  async steps(job) {
    const { params, host, site, warn } = job
    return [
      ready(
        async () => [
          ...(await preparationSteps(host, site, params.accept)),
          ...(await resticSteps(host)),
        ],
        () => refuseKnownNames(host, site),
      ),
      line(() => warnOfCapacity(host, site)),
      ...(await stepsOf(job)),
      after(
        () => certificateSteps(recorded(job), host, warn),
        () => recordInterruptedIssue(host, site.domain),
      ),
    ]
  },
  result: ({ host, site }) => resultOf(host, site),
})

const resultOf = async (host: Host, { domain, staging }: Site) => ({
  domain,
  certificate: await certificateTextOf(host, domain),
  ...(staging && { staging: true as const }),
})

const siteOf = ({ accept: _, from: __, peers, ...site }: ReceiveParams): Site => ({
  ...site,
  moving: { from: peers, closed: true },
})

/** Requires only an answer: the other server shows the front page of the site. */
async function stepsOf(job: ReceiveRun): Promise<StepList> {
  const { params, host, site } = job
  if (params.from.kind !== 'backup') return []
  return copySteps(host, site, receiveSteps(job, params.from), {
    recorded: () => recorded(job),
    probe: async () => undefined,
  })
}

async function refuseUnavailable(host: Host, site: Site, { from }: ReceiveParams): Promise<void> {
  if (from.kind !== 'backup') throw conflict('A site is received from a backup only')
  await refuseUnready(host, from.target)
  if (await findSite(host, site.domain, 'moved')) {
    throw conflict(`${site.domain} has moved away from this server: move it back, or confirm that`)
  }
}

type ReceiveRun = CommandRun<'site.receive', { site: Site }>

const fetchedManifest = stepResult<Manifest>('The backup was not read')

/** Returns the record of the site with the settings in its backup. */
function withBackupRecord(site: Site, former: Manifest['site']): Site {
  return {
    ...site,
    settings: SiteSettings.safeParse(former.settings).data,
    jobs: SiteJobs.safeParse(former.jobs).data,
    names: SiteNames.safeParse(former.names).data,
    object_cache: ObjectCache.safeParse(former.object_cache).data,
  }
}

/** Returns the record as far as it is known. */
function recorded({ find, site }: ReceiveRun): Site {
  const manifest = find(fetchedManifest)
  return manifest ? withBackupRecord(site, manifest.site) : site
}

/** Fetches and checks everything first. The content does not change: it is the same site. */
function receiveSteps(job: ReceiveRun, from: BackupSource): Step[] {
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
        await refuseTakenNames(host, withBackupRecord(site, manifest.site))
      },
      as: fetchedManifest,
      async fetched(manifest) {
        await provideObjectCache(host, withBackupRecord(site, manifest.site))
        return manifest
      },
      undo: removedTree(steady, 'folder', restoresOf(user)).apply,
    }),
    {
      name: 'database',
      title: 'Creating the database',
      effects: databaseEffects(user),
      async apply() {
        await createEmptyDatabase(host, user, get(fetchedManifest).database ?? undefined)
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
        await syncDatabasePassword(host, site)
        await proveDatabase(host, site)
      },
    },
    ...(site.staging ? [baselineStep(job)] : []),
  ]
}

/** Writes the baseline with which the tables are compared before a push. */
const baselineStep = ({ host, site, get }: ReceiveRun): Step => ({
  name: 'baseline',
  title: 'Taking over the records of the tables',
  effects: [],
  apply: () => restoreBaseline(host, site, get(fetchedManifest).baseline),
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
