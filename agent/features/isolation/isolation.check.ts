import { removeRestoreFolders } from '#agent/features/backups/replace.ts'
import { getTenantSite } from '#agent/features/existing/find-docroot.ts'
import { askpassOf } from '#agent/features/isolation/attacks/clients.ts'
import { removePlanted } from '#agent/features/isolation/attacks/restore.ts'
import { provisionSteps } from '#agent/features/servers/provision/provision.ts'
import { refuseFullDisk } from '#agent/features/sites/free-space.ts'
import { stepsOf as siteSteps } from '#agent/features/sites/site.create.ts'
import { coreSteps } from '#agent/features/wordpress/core.ts'
import { inventoryOf } from '#agent/features/wordpress/wp.scan.ts'
import { accountOf } from '#agent/kernel/database/account.ts'
import { create, remove, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { installedPhp } from '#agent/kernel/packages/packages.ts'
import { randomPartOf, roleOf } from '#agent/kernel/site/canary.ts'
import { docrootOf, homeOf, logsOf, trashOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { accountFolders } from '#agent/kernel/site-etc/accounts.ts'
import {
  command,
  line,
  type Progress,
  ready,
  type Step,
  stepResult,
} from '#agent/kernel/steps/command.ts'
import { resultOf } from '#agent/kernel/steps/progress.ts'
import { countOutcomes, type IsolationResult } from '#shared/isolation/isolation.ts'
import { conflict } from '#shared/kernel/errors.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { prepareScene, runAttacks } from './attempt.ts'
import * as canaries from './canaries.ts'
import { forwardedOf } from './forwarded-sockets.ts'
import { removeKeys } from './person.ts'
import { unsandboxed } from './scene.ts'
import { markerOf, SHARED } from './scripts.ts'

/** The sites; after a restart only their names are known. */
interface CheckedSites {
  sites: readonly Site[]
  pair: canaries.CanaryPair | undefined
}

const attackResults = stepResult<IsolationResult[]>('The sites were not attacked')

/** Creates two temporary sites, lets one attack the other, and deletes both. */
export const isolationCheck = command('isolation.check', {
  lock: () => 'isolation',
  async check(_, host): Promise<CheckedSites> {
    const pair = await canaries.makePair(host, await phpOf(host))
    return { sites: [pair.attacker, pair.neighbour], pair }
  },
  async find(_, host) {
    const sites = await canaries.recordedCanaries(host)
    return sites.length > 0 ? { sites, pair: undefined } : undefined
  },
  steps: async ({ host, sites, pair, gives }) => [
    line('Checking that the sites of this server cannot reach each other'),
    ready(() => cleanupSteps(host)),
    ready(() => coreSteps(host)),
    ...(await createSteps(host, sites)),
    ...(pair
      ? [
          attackStep(
            pair,
            gives(attackResults, () => attack(host, pair)),
          ),
        ]
      : []),
    ...(await removeSteps(host, sites)),
  ],
  async *result({ host, get }) {
    const results = get(attackResults)
    const counts = countOutcomes(results)
    yield `${counts.refused} attacks were refused and ${counts.succeeded} succeeded`
    return { checked_at: new Date(host.clock.now()).toISOString(), counts, results }
  },
})

/** The free space for two copies of WordPress and the folders of one attack, about 350 MB. */
const MIN_FREE = 2 ** 30

/**
 * Returns the newest installed version. Nothing is installed for this: a bare server has no sites
 * to check. Throws conflict when the server is not ready, or its disk is nearly full.
 */
async function phpOf(host: Host): Promise<string> {
  await refuseFullDisk(host, MIN_FREE, 'a check')
  const php = (await installedPhp(host)).at(-1)
  const message = 'This server is not ready for sites: provision it first'
  if (php === undefined) throw conflict(message)
  if ((await provisionSteps(host, [php], 'php')).length > 0) throw conflict(message)
  return php
}

const attackStep = ({ attacker }: canaries.CanaryPair, apply: Step['apply']): Step => ({
  name: 'attacks',
  title: 'Attacking one site from the other',
  effects: [
    create('file', `${docrootOf(attacker.user)}/isolation.php`),
    run('request', `http://${attacker.domain}/isolation.php`),
  ],
  apply,
})

async function* attack(host: Host, pair: canaries.CanaryPair): Progress<IsolationResult[]> {
  const results: IsolationResult[] = []
  const scan = (domain: string) => scanSite(host, domain)
  yield* runAttacks(await prepareScene(host, pair, scan), results)
  return results
}

/** Returns the steps in order of creation; after a restart, the records name the sites. */
async function createSteps(host: Host, sites: readonly Site[]): Promise<Step[]> {
  if (sites.length === 0) return []
  const records: Step = {
    name: 'records',
    title: 'Recording the names of two temporary sites',
    ...canaries.recordCanaries(host, sites),
    undo: () => canaries.forgetCanaries(host, sites),
  }
  const traces: Step = {
    name: 'traces',
    title: 'Preparing the attacks',
    effects: [],
    apply: async () => undefined,
    undo: () => removeTraces(host, sites),
  }
  const making = await Promise.all(sites.map((site) => createSiteSteps(host, site)))
  return [records, ...making.flat(), traces]
}

/** Creates a site as `site.create` does, without a record that would list it. */
async function createSiteSteps(host: Host, site: Site): Promise<Step[]> {
  const role = roleOf(site)
  const steps = await siteSteps(site, host)
  return steps
    .filter(({ decided }) => decided === undefined)
    .map((step) => ({ ...step, name: `${role} ${step.name}`, title: `${step.title} (${role})` }))
}

/** Undoes everything that was created, newest first. */
async function removeSteps(host: Host, sites: readonly Site[]): Promise<Step[]> {
  const making = await createSteps(host, sites)
  const apply = async () => {
    for (const { undo } of making.toReversed()) await undo?.()
  }
  const title = 'Removing the two temporary sites'
  return [{ name: 'removal', title, effects: siteRemovals(host, sites), apply }]
}

/** Returns the steps that remove the sites of an interrupted check that could not be undone. */
async function cleanupSteps(host: Host): Promise<Step[]> {
  const sites = await canaries.recordedCanaries(host)
  if (sites.length === 0) return []
  const title = 'Removing the sites of an interrupted check'
  const steps = await removeSteps(host, sites)
  return steps.map((step) => ({ ...step, name: 'leftovers', title }))
}

/** Scans a site as the command of a dashboard does: a scan changes nothing. */
async function scanSite(host: Host, domain: string) {
  const site = await getTenantSite(host, domain)
  return resultOf(inventoryOf(host, site))
}

/**
 * Removes traces of successful or interrupted attacks outside the two sites: files in shared
 * folders of the system, a file and an account of MariaDB, a dump, restored files.
 */
export async function removeTraces(host: Host, sites: readonly Site[]): Promise<void> {
  for (const site of sites) {
    const random = randomPartOf(site)
    const marker = markerOf(random)
    const paths = SHARED.map((folder) => `${folder}/${marker}`)
    // Runs as the user that created them, outside the agent's sandbox with its own /tmp.
    await host.shell.try(unsandboxed(site, ['rm', '-f', '--', ...paths]), {
      unconfined: true,
      starts: ['/usr/bin/rm'],
    })
    await host.files.remove(`/var/lib/mysql/${marker}`)
    await host.files.remove(trashOf(site.user))
    await removeRestoreFolders(host, site.user).apply()
    await host.files.remove(askpassOf(host, site))
    await host.files.remove(forwardedOf(host, site))
    await removeKeys(host, site)
    await removePlanted(host, random)
  }
}

/** The effects of the removal of the sites, which do not exist before. */
const siteRemovals = (host: Host, sites: readonly Site[]): Effect[] =>
  sites.flatMap(({ user, domain }) => [
    remove('account', accountOf(user)),
    remove('database', user),
    remove('folder', homeOf(user)),
    remove('folder', logsOf(user)),
    remove('user', user),
    remove('group', user),
    ...accountFolders(host, user).map((path) => remove('folder', path)),
    remove('file', `${host.settings.state_dir}/canaries/${domain}.json`),
  ])
