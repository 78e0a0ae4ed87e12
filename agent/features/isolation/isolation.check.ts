import { forgetRestores } from '#agent/features/backups/replace.ts'
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
import { randomOf, roleOf } from '#agent/kernel/site/canary.ts'
import { docrootOf, homeOf, logsOf, trashOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { accountFolders } from '#agent/kernel/site-etc/accounts.ts'
import {
  command,
  line,
  type Progress,
  ready,
  type Step,
  value,
} from '#agent/kernel/steps/command.ts'
import { resultOf } from '#agent/kernel/steps/progress.ts'
import { countOutcomes, type IsolationResult } from '#shared/isolation/isolation.ts'
import { conflict } from '#shared/kernel/errors.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { attempted, preparedScene } from './attempt.ts'
import * as canaries from './canaries.ts'
import { forwardedOf } from './forwarded.ts'
import { removeKeys } from './person.ts'
import { unsandboxed } from './scene.ts'
import { markerOf, SHARED } from './scripts.ts'

/** After a restart only the names of the sites are known. */
interface Scene {
  sites: readonly Site[]
  pair: canaries.Pair | undefined
}

const attacked = value<IsolationResult[]>('The sites were not attacked')

/**
 * Two temporary sites, one of which attacks the other; both are deleted permanently. It also completes
 * when attacks succeed.
 */
export const isolationCheck = command('isolation.check', {
  lock: () => 'isolation',
  async check(_, host): Promise<Scene> {
    const pair = await canaries.makePair(host, await phpOf(host))
    return { sites: [pair.attacker, pair.neighbour], pair }
  },
  async find(_, host) {
    const sites = await canaries.recorded(host)
    return sites.length > 0 ? { sites, pair: undefined } : undefined
  },
  steps: async ({ host, sites, pair, gives }) => [
    line('Checking that the sites of this server cannot reach each other'),
    ready(() => cleanupSteps(host)),
    ready(() => coreSteps(host)),
    ...(await makingSteps(host, sites)),
    ...(pair
      ? [
          attackStep(
            pair,
            gives(attacked, () => attack(host, pair)),
          ),
        ]
      : []),
    ...(await removingSteps(host, sites)),
  ],
  async *result({ host, get }) {
    const results = get(attacked)
    const counts = countOutcomes(results)
    yield `${counts.refused} attacks were refused and ${counts.succeeded} succeeded`
    return { checked_at: new Date(host.clock.now()).toISOString(), counts, results }
  },
})

/** Two copies of WordPress and the folders of one attack take about 350 MB. */
const MIN_FREE = 2 ** 30

/**
 * The newest installed version. Nothing is installed for this: a bare server has no sites to check.
 * Throws conflict when the server is not ready, or its disk is nearly full.
 */
async function phpOf(host: Host): Promise<string> {
  await refuseFullDisk(host, MIN_FREE, 'a check')
  const php = (await installedPhp(host)).at(-1)
  const message = 'This server is not ready for sites: provision it first'
  if (php === undefined) throw conflict(message)
  if ((await provisionSteps(host, [php], 'php')).length > 0) throw conflict(message)
  return php
}

const attackStep = ({ attacker }: canaries.Pair, apply: Step['apply']): Step => ({
  name: 'attacks',
  title: 'Attacking one site from the other',
  effects: [
    create('file', `${docrootOf(attacker.user)}/isolation.php`),
    run('request', `http://${attacker.domain}/isolation.php`),
  ],
  apply,
})

async function* attack(host: Host, pair: canaries.Pair): Progress<IsolationResult[]> {
  const results: IsolationResult[] = []
  const scan = (domain: string) => scanned(host, domain)
  yield* attempted(await preparedScene(host, pair, scan), results)
  return results
}

/** In order of creation; after a restart, the records name the sites. */
async function makingSteps(host: Host, sites: readonly Site[]): Promise<Step[]> {
  if (sites.length === 0) return []
  const records: Step = {
    name: 'records',
    title: 'Recording the names of two temporary sites',
    ...canaries.record(host, sites),
    undo: () => canaries.forget(host, sites),
  }
  const traces: Step = {
    name: 'traces',
    title: 'Preparing the attacks',
    effects: [],
    apply: async () => undefined,
    undo: () => removeTraces(host, sites),
  }
  const making = await Promise.all(sites.map((site) => makingSite(host, site)))
  return [records, ...making.flat(), traces]
}

/** As in `site.create`, without the record that would list it as a site of the server. */
async function makingSite(host: Host, site: Site): Promise<Step[]> {
  const role = roleOf(site)
  const steps = await siteSteps(site, host)
  return steps
    .filter(({ decided }) => decided === undefined)
    .map((step) => ({ ...step, name: `${role} ${step.name}`, title: `${step.title} (${role})` }))
}

/** The undo of everything that was created, newest first. */
async function removingSteps(host: Host, sites: readonly Site[]): Promise<Step[]> {
  const making = await makingSteps(host, sites)
  const apply = async () => {
    for (const { undo } of making.toReversed()) await undo?.()
  }
  const title = 'Removing the two temporary sites'
  return [{ name: 'removal', title, effects: siteRemovals(host, sites), apply }]
}

/** Returns the steps that remove the sites of an interrupted check that could not be undone. */
async function cleanupSteps(host: Host): Promise<Step[]> {
  const sites = await canaries.recorded(host)
  if (sites.length === 0) return []
  const title = 'Removing the sites of an interrupted check'
  const steps = await removingSteps(host, sites)
  return steps.map((step) => ({ ...step, name: 'leftovers', title }))
}

/** As the command of a dashboard does it: a scan changes nothing. */
async function scanned(host: Host, domain: string) {
  const site = await getTenantSite(host, domain)
  return resultOf(inventoryOf(host, site))
}

/**
 * Traces of successful or interrupted attacks outside the two sites: files in shared folders of the
 * system, a file and an account of MariaDB, a dump, restored files.
 */
export async function removeTraces(host: Host, sites: readonly Site[]): Promise<void> {
  for (const site of sites) {
    const random = randomOf(site)
    const marker = markerOf(random)
    const paths = SHARED.map((folder) => `${folder}/${marker}`)
    // As the user that made them, and outside the sandbox of the agent, which has its own /tmp.
    await host.shell.try(unsandboxed(site, ['rm', '-f', '--', ...paths]), {
      unconfined: true,
      starts: ['/usr/bin/rm'],
    })
    await host.files.remove(`/var/lib/mysql/${marker}`)
    await host.files.remove(trashOf(site.user))
    await forgetRestores(host, site.user).apply()
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
