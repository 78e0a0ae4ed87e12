import type { Host } from '#agent/host/ports.ts'
import { refuseNoDatabase } from '#agent/os/backup/chosen/tables.ts'
import { fetchParts, readManifest, refuseLackOfSpace } from '#agent/os/backup/fetch.ts'
import {
  forgetFetched,
  forgetFetchedStep,
  keepStep,
  keptUntil,
  recordStep,
} from '#agent/os/backup/keep-state.ts'
import type { Manifest } from '#agent/os/backup/manifest.ts'
import { fetchedOf } from '#agent/os/backup/places.ts'
import * as replace from '#agent/os/backup/replace.ts'
import { databaseSteps, filesStep } from '#agent/os/backup/replacing.ts'
import { pauseSteps, resumeSteps } from '#agent/os/backup/switch.ts'
import { mariadbSteps } from '#agent/os/database/mariadb.ts'
import { removedTree } from '#agent/os/effects/change.ts'
import { create, run } from '#agent/os/effects/effects.ts'
import { readdressRestored, rewriteFetched } from '#agent/os/rename/restored.ts'
import { resticSteps } from '#agent/os/restic/program.ts'
import { type Opened, refuseUnready } from '#agent/os/restic/run.ts'
import { closeFiles, openedOf, openFiles, withPassword } from '#agent/os/restic/session.ts'
import { findSite, getSite, type Site } from '#agent/os/site/sites.ts'
import type { Command, Step } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { apexOf } from '#shared/names.ts'
import { forgetSteps } from './separate-step.ts'

type Params = ParamsOf<'backup.restore'>
/** What the operation finds out while it runs. */
type Learned = { manifest?: Manifest; facts?: replace.Facts }

/** Everything is fetched and checked before the site changes; one rename of a folder decides. */
export const backupRestore: Command<'backup.restore'> = {
  lock: ({ domain }) => apexOf(domain),
  withSecrets: withPassword,
  async steps(params, host) {
    const site = await findSite(host, params.domain)
    return site ? stepsOf(host, site, params) : []
  },
  async finished({ domain }, host) {
    const site = await findSite(host, domain)
    const facts = site && (await replace.findPrevious(host, site.user))
    return facts && { domain, ...facts }
  },
  async plan(params, host) {
    await refuseUnready(host, params.target)
    const site = await getSite(host, params.domain)
    return [...(await preparing(host)), ...stepsOf(host, site, params)]
  },
  async *run(params, { host, announce, perform, warn }) {
    await refuseUnready(host, params.target)
    const site = await getSite(host, params.domain)
    const learned: Learned = {}
    const missing = await preparing(host)
    const steps = stepsOf(host, site, params, learned, (message) =>
      warn({ code: 'left_out', message }),
    )
    announce([...missing, ...steps])
    const reason = yield* perform([...missing, ...steps])
    if (reason !== undefined) warn({ code: 'cleanup_pending', message: reason })
    if (!learned.facts) throw new Error('The restore has no result')
    return { domain: site.domain, ...learned.facts }
  },
}

const preparing = async (host: Host): Promise<Step[]> => [
  ...(await resticSteps(host)),
  ...(await mariadbSteps(host)),
]

function stepsOf(
  host: Host,
  site: Site,
  params: Params,
  learned: Learned = {},
  warn: (message: string) => void = () => undefined,
): Step[] {
  const { user } = site
  return [
    ...fetchSteps(host, site, params, learned),
    ...pauseSteps(host, site),
    keepStep(host, user, () => factsOf(host, learned)),
    ...(params.parts.database ? databaseSteps(host, site, params.parts.tables, warn) : []),
    ...(params.parts.files ? [filesStep(host, user, params.parts.paths)] : []),
    ...(params.parts.files ? [addressStep(host, site, learned)] : []),
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
const addressStep = (host: Host, site: Site, learned: Learned): Step => ({
  name: 'addresses',
  title: 'Changing the addresses in configuration files',
  effects: [],
  check: async () => (learned.manifest?.domain ?? site.domain) === site.domain,
  apply: () => readdressRestored(host, site, learned.manifest?.domain ?? site.domain),
})

function fetchSteps(host: Host, site: Site, params: Params, learned: Learned): Step[] {
  const { user } = site
  const { target, repository: name, password, backup, parts } = params
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
      async *apply() {
        await removedTree(host, 'folder', fetchedOf(user)).apply()
        const manifest = await readManifest(host, opened, backup)
        learned.manifest = manifest
        await refuseLackOfSpace(host, opened, manifest, parts)
        if (parts.tables) await refuseNoDatabase(host, site)
        yield* fetchParts(host, opened, site, manifest, parts)
        if (manifest.domain === site.domain) return
        const count = await rewriteFetched(host, site, manifest.domain)
        yield `Changed ${count} addresses of ${manifest.domain}, the former primary domain`
      },
      undo: () => forgetFetched(host.steady ?? host, site),
    },
    { name: 'close', title: 'Disconnecting from the target', ...closeFiles(host, user) },
  ]
}

function factsOf(host: Host, learned: Learned): replace.Facts {
  if (!learned.manifest) throw new Error('The backup was not read')
  learned.facts = { at: learned.manifest.at, until: keptUntil(host) }
  return learned.facts
}
