import { refuseNoDatabase } from '#agent/features/backups/chosen/tables.ts'
import { resticSteps } from '#agent/features/backups/restic/program.ts'
import { type OpenRepository, refuseUnready } from '#agent/features/backups/restic/run.ts'
import {
  closeFiles,
  openFilesStep,
  openRepositoryOf,
  withPassword,
} from '#agent/features/backups/restic/session.ts'
import { rewriteAddressFiles } from '#agent/features/wordpress/addresses/config.ts'
import { loadDump } from '#agent/features/wordpress/addresses/load.ts'
import { forgetBaselineSteps } from '#agent/kernel/baseline/baseline.ts'
import { mariadbSteps } from '#agent/kernel/database/mariadb.ts'
import { removedTree } from '#agent/kernel/effects/change.ts'
import { create, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite, warnOfCleanup } from '#agent/kernel/site/on-site.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import {
  type CommandRun,
  command,
  type Progress,
  ready,
  type Step,
  stepResult,
} from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { fetchParts, readManifest, refuseLackOfSpace } from './fetch.ts'
import type { Manifest } from './manifest.ts'
import { chosenIn, dumpIn, fetchedOf } from './paths.ts'
import { pauseSiteSteps, resumeSiteSteps, startSiteSteps } from './pause-site.ts'
import {
  keepPreviousStep,
  keptUntil,
  removeFetched,
  removeFetchedStep,
  replacedFolderStep,
} from './previous-state.ts'
import * as replace from './replace.ts'
import { databaseSteps, filesStep } from './replace-steps.ts'

type RestoreParams = ParamsOf<'backup.restore'>

const fetched = stepResult<Manifest>('The backup was not read')

/** Everything is fetched and checked before the site changes; one rename of a folder decides. */
export const backupRestore = command('backup.restore', {
  ...onSite,
  withSecrets: withPassword,
  async check({ domain, target }, host) {
    await refuseUnready(host, target)
    return { site: await getSite(host, domain) }
  },
  steps: (job) => [
    ready(() => preparationSteps(job.host)),
    ...fetchSteps(job),
    ...replaceSteps(job),
  ],
  unfinished: warnOfCleanup,
  async result({ host, site: { domain, user } }) {
    const facts = await replace.findPreviousState(host, user)
    if (!facts) throw new Error('The restore has no result')
    return { domain, ...facts }
  },
})

type RestoreRun = CommandRun<'backup.restore', { site: Site }>

const preparationSteps = async (host: Host): Promise<Step[]> => [
  ...(await resticSteps(host)),
  ...(await mariadbSteps(host)),
]

function replaceSteps({ params, host, site, get, find, warn }: RestoreRun): Step[] {
  const { user } = site
  const tell = (message: string) => warn({ code: 'left_out', message })
  const former = () => find(fetched)?.domain ?? site.domain
  return [
    ...pauseSiteSteps(host, site),
    replacedFolderStep(host, user, () => ({ at: get(fetched).at, until: keptUntil(host) })),
    ...(params.parts.database ? databaseSteps(host, site, params.parts.tables, tell) : []),
    ...(params.parts.files ? [filesStep(host, user, params.parts.paths)] : []),
    ...(params.parts.files ? [addressStep(host, site, former)] : []),
    replace.alignPasswordStep(host, site),
    ...forgetBaselineSteps(host, site),
    ...startSiteSteps(host, site),
    keepPreviousStep(host, user),
    ...resumeSiteSteps(host, site),
    removeFetchedStep(host, site),
  ]
}

/** Changes the addresses of a backup that was made under another primary domain. */
const addressStep = (host: Host, site: Site, former: () => string): Step => ({
  name: 'addresses',
  title: 'Changing the addresses in configuration files',
  effects: [],
  check: async () => former() === site.domain,
  apply: () => readdressRestored(host, site, former()),
})

function fetchSteps({ params, host, site, gives }: RestoreRun): Step[] {
  const { user } = site
  const { target, repository: name, password } = params
  const repository = { name, target, password }
  const opened: OpenRepository = openRepositoryOf(host, repository, user)
  return [
    openFilesStep(host, repository, user),
    {
      name: 'fetch',
      title: 'Fetching the backup',
      effects: [run('program', 'restic'), create('folder', fetchedOf(user))],
      apply: gives(fetched, () => fetchBackup(host, site, opened, params)),
      undo: () => removeFetched(host.steady ?? host, site),
    },
    { name: 'close', title: 'Disconnecting from the target', ...closeFiles(host, user) },
  ]
}

async function* fetchBackup(
  host: Host,
  site: Site,
  opened: OpenRepository,
  { backup, parts }: RestoreParams,
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

/** Changes the addresses of a dump from the time at which the site had another primary domain. */
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

/** Changes the addresses in the restored configuration files. */
const readdressRestored = (host: Host, site: Site, domain: string): Promise<void> =>
  rewriteAddressFiles(host, { domain, user: site.user }, site)
