import { refuseNoDatabase } from '#agent/features/backups/chosen/tables.ts'
import { resticSteps } from '#agent/features/backups/restic/program.ts'
import { type Opened, refuseUnready } from '#agent/features/backups/restic/run.ts'
import {
  closeFiles,
  openedOf,
  openFiles,
  withPassword,
} from '#agent/features/backups/restic/session.ts'
import { readdress } from '#agent/features/wordpress/addresses/config.ts'
import { loadDump } from '#agent/features/wordpress/addresses/load.ts'
import { forgetSteps } from '#agent/kernel/baseline/baseline.ts'
import { mariadbSteps } from '#agent/kernel/database/mariadb.ts'
import { removedTree } from '#agent/kernel/effects/change.ts'
import { create, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite, warnOfCleanup } from '#agent/kernel/site/on-site.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import {
  command,
  type Job,
  type Progress,
  ready,
  type Step,
  value,
} from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { fetchParts, readManifest, refuseLackOfSpace } from './fetch.ts'
import { forgetFetched, forgetFetchedStep, keepStep, keptUntil, recordStep } from './keep-state.ts'
import type { Manifest } from './manifest.ts'
import { chosenIn, dumpIn, fetchedOf } from './places.ts'
import * as replace from './replace.ts'
import { databaseSteps, filesStep } from './replacing.ts'
import { pauseSteps, resumeSteps } from './switch.ts'

type Params = ParamsOf<'backup.restore'>

const fetched = value<Manifest>('The backup was not read')

/** Everything is fetched and checked before the site changes; one rename of a folder decides. */
export const backupRestore = command('backup.restore', {
  ...onSite,
  withSecrets: withPassword,
  async check({ domain, target }, host) {
    await refuseUnready(host, target)
    return { site: await getSite(host, domain) }
  },
  steps: (job) => [ready(() => preparing(job.host)), ...fetchSteps(job), ...replaceSteps(job)],
  unfinished: warnOfCleanup,
  async result({ host, site: { domain, user } }) {
    const facts = await replace.findPrevious(host, user)
    if (!facts) throw new Error('The restore has no result')
    return { domain, ...facts }
  },
})

type Restore = Job<'backup.restore', { site: Site }>

const preparing = async (host: Host): Promise<Step[]> => [
  ...(await resticSteps(host)),
  ...(await mariadbSteps(host)),
]

function replaceSteps({ params, host, site, get, find, warn }: Restore): Step[] {
  const { user } = site
  const tell = (message: string) => warn({ code: 'left_out', message })
  const former = () => find(fetched)?.domain ?? site.domain
  return [
    ...pauseSteps(host, site),
    keepStep(host, user, () => ({ at: get(fetched).at, until: keptUntil(host) })),
    ...(params.parts.database ? databaseSteps(host, site, params.parts.tables, tell) : []),
    ...(params.parts.files ? [filesStep(host, user, params.parts.paths)] : []),
    ...(params.parts.files ? [addressStep(host, site, former)] : []),
    {
      name: 'password',
      title: 'Setting the database password from wp-config.php',
      effects: [],
      apply: () => replace.alignPassword(host, site),
    },
    ...forgetSteps(host, site),
    ...resumeSteps(host, site),
    recordStep(host, user),
    forgetFetchedStep(host, site),
  ]
}

/** Only for a backup that was made under another primary domain. */
const addressStep = (host: Host, site: Site, former: () => string): Step => ({
  name: 'addresses',
  title: 'Changing the addresses in configuration files',
  effects: [],
  check: async () => former() === site.domain,
  apply: () => readdressRestored(host, site, former()),
})

function fetchSteps({ params, host, site, gives }: Restore): Step[] {
  const { user } = site
  const { target, repository: name, password } = params
  const repository = { name, target, password }
  const opened: Opened = openedOf(host, repository, user)
  return [
    {
      name: 'target',
      title: 'Connecting to the target',
      ...openFiles(host, repository, user),
      undo: closeFiles(host, user).apply,
    },
    {
      name: 'fetch',
      title: 'Fetching the backup',
      effects: [run('program', 'restic'), create('folder', fetchedOf(user))],
      apply: gives(fetched, () => fetchBackup(host, site, opened, params)),
      undo: () => forgetFetched(host.steady ?? host, site),
    },
    { name: 'close', title: 'Disconnecting from the target', ...closeFiles(host, user) },
  ]
}

async function* fetchBackup(
  host: Host,
  site: Site,
  opened: Opened,
  { backup, parts }: Params,
): Progress<Manifest> {
  await removedTree(host, 'folder', fetchedOf(site.user)).apply()
  const manifest = await readManifest(host, opened, backup)
  await refuseLackOfSpace(host, opened, manifest, parts)
  if (parts.tables) await refuseNoDatabase(host, site)
  yield* fetchParts(host, opened, site, manifest, parts)
  if (manifest.domain !== site.domain) {
    const count = await rewriteFetched(host, site, manifest.domain)
    yield `Changed ${count} addresses of ${manifest.domain}, the former primary domain`
  }
  return manifest
}

/** A backup of the time at which the site had another primary domain gets the present addresses. */
async function rewriteFetched(host: Host, site: Site, domain: string): Promise<number> {
  const folder = fetchedOf(site.user)
  let count = 0
  for (const path of [dumpIn(folder), chosenIn(folder)]) {
    if (!(await host.files.stat(path))) continue
    const into = { path: `${path}.new` }
    const { addresses } = await loadDump(host, path, { domain, user: site.user }, site, into)
    await host.files.rename(into.path, path)
    count += addresses.replaced
  }
  return count
}

/** The same for the configuration files that were restored. */
const readdressRestored = (host: Host, site: Site, domain: string): Promise<void> =>
  readdress(host, { domain, user: site.user }, site)
