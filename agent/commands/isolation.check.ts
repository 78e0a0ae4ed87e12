import type { Host } from '#agent/host/ports.ts'
import { create, run } from '#agent/os/effects/effects.ts'
import { attempted, preparedScene } from '#agent/os/isolation/attempt.ts'
import * as canaries from '#agent/os/isolation/canaries.ts'
import { planRemoveSites, removeTraces } from '#agent/os/isolation/traces.ts'
import { installedPhp } from '#agent/os/packages/packages.ts'
import { provisionSteps } from '#agent/os/provision/provision.ts'
import { docrootOf } from '#agent/os/site/paths.ts'
import type { Site } from '#agent/os/site/sites.ts'
import { coreSteps } from '#agent/os/wordpress/core.ts'
import type { Command, Progress, Step } from '#agent/steps/command.ts'
import { resultOf } from '#agent/steps/progress.ts'
import { conflict } from '#shared/errors.ts'
import { countOutcomes, type IsolationResult } from '#shared/isolation.ts'
import { refuseFullDisk } from './free-space.ts'
import { stepsOf as siteSteps } from './site.create.ts'
import { wpScan } from './wp.scan.ts'

/**
 * Two temporary sites, one of which attacks the other; both are deleted permanently. It also completes
 * when attacks succeed.
 */
export const isolationCheck: Command<'isolation.check'> = {
  lock: () => 'isolation',
  steps: async (_, host) => makingSteps(host, await canaries.recorded(host)),
  async plan(_, host) {
    const pair = await canaries.makePair(host, await phpOf(host))
    const left = await cleanupSteps(host)
    return [...left, ...(await coreSteps(host)), ...(await stepsOf(host, pair, []))]
  },
  async *run(_, { host, perform }) {
    const php = await phpOf(host)
    yield 'Checking that the sites of this server cannot reach each other'
    const results: IsolationResult[] = []
    const left = await cleanupSteps(host)
    const core = await coreSteps(host)
    const steps = await stepsOf(host, await canaries.makePair(host, php), results)
    yield* perform([...left, ...core, ...steps])
    const counts = countOutcomes(results)
    yield `${counts.refused} attacks were refused and ${counts.succeeded} succeeded`
    return { checked_at: new Date(host.clock.now()).toISOString(), counts, results }
  },
}

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

async function stepsOf(
  host: Host,
  pair: canaries.Pair,
  results: IsolationResult[],
): Promise<Step[]> {
  const sites = [pair.attacker, pair.neighbour]
  const attacks: Step = {
    name: 'attacks',
    title: 'Attacking one site from the other',
    effects: [
      create('file', `${docrootOf(pair.attacker.user)}/isolation.php`),
      run('request', `http://${pair.attacker.domain}/isolation.php`),
    ],
    async *apply() {
      const scan = (domain: string) => scanned(host, domain)
      yield* attempted(await preparedScene(host, pair, scan), results)
    },
  }
  return [...(await makingSteps(host, sites)), attacks, ...(await removingSteps(host, sites))]
}

/** In order of creation; after a restart, the records name the sites. */
async function makingSteps(host: Host, sites: readonly Site[]): Promise<Step[]> {
  if (sites.length === 0) return []
  const records: Step = {
    name: 'records',
    title: 'Recording the names of two temporary sites',
    effects: () => canaries.planRecord(host, sites),
    apply: () => canaries.record(host, sites),
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
  const role = canaries.roleOf(site)
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
  return [{ name: 'removal', title, effects: planRemoveSites(host, sites), apply }]
}

/** Of an interrupted check that could not be undone. */
async function cleanupSteps(host: Host): Promise<Step[]> {
  const sites = await canaries.recorded(host)
  if (sites.length === 0) return []
  const title = 'Removing the sites of an interrupted check'
  const steps = await removingSteps(host, sites)
  return steps.map((step) => ({ ...step, name: 'leftovers', title }))
}

/** As the command of a dashboard does it. */
function scanned(host: Host, domain: string) {
  const nothing = () => undefined
  return resultOf(
    wpScan.run({ domain }, { host, announce: nothing, perform: noSteps, warn: nothing }),
  )
}

/** A scan changes nothing. */
function noSteps(): Progress<undefined> {
  throw new Error('A scan has no steps')
}
