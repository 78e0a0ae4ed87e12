import { z } from 'zod'
import { ExpiryWatch } from '#agent/features/access/expiry.ts'
import { loginsOn } from '#agent/features/access/logins.ts'
import { browsers } from '#agent/features/backups/read/browse.ts'
import { watchDatabase } from '#agent/features/database/database-watch.ts'
import { renewAll } from '#agent/features/domains/renewal.ts'
import type { FoundMonitor } from '#agent/features/health/found/monitor.ts'
import type { HealthMonitor } from '#agent/features/health/monitor.ts'
import { Rotation } from '#agent/features/logs/rotate.ts'
import type { NumbersCollector } from '#agent/features/metrics/collector.ts'
import { measureDue } from '#agent/features/metrics/usage/measure-due.ts'
import { Sleeper } from '#agent/features/php/fpm-sleep.ts'
import { DebugWatch } from '#agent/features/sites/debug-watch.ts'
import { keepMaintained } from '#agent/features/updates/maintenance.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Operation } from '#agent/kernel/operations/operation.ts'
import { tidyDaily } from '#agent/kernel/operations/retention.ts'
import type { Runner } from '#agent/kernel/operations/runner.ts'
import { listSites } from '#agent/kernel/site/sites.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

export interface Deps {
  host: Host
  runner: Runner
  own: HealthMonitor
  found: FoundMonitor
  numbers: NumbersCollector
  /** The limit of the records of operations. */
  operations_bytes: number
  report(error: unknown): void
}

/** Fixed, and at most so much more by chance: a fleet does not do the same at once. */
type Pause = readonly [ms: number, jitter_ms: number] | ((clock: Host['clock']) => number)

interface Round {
  /** Before the first turn: after a start, the agent first has to answer requests. */
  first?: Pause
  /** After the end of each turn. */
  every: Pause
  turn(): Promise<unknown>
}

const EVERY_HALF_MINUTE: Pause = [MINUTE_MS / 2, 0]
const EVERY_MINUTE: Pause = [MINUTE_MS, 0]
/** Together with the interval of the dashboard, a broken site is shown within a minute. */
const LOOK: Pause = [12 * SECOND_MS, 3 * SECOND_MS]
/** Visits are separate: a hanging page delays nothing. */
const VISIT: Pause = [5 * SECOND_MS, 3 * SECOND_MS]
const FIRST_LOOK: Pause = [SECOND_MS, 0]
/** A moment after each minute has ended, before dashboards ask. */
const UNTIL_MINUTE: Pause = (clock) => MINUTE_MS - (clock.now() % MINUTE_MS) + SECOND_MS
const SOON: Pause = [5 * SECOND_MS, 5 * SECOND_MS]

/** What the agent repeats for ever: each round has its own pace, and delays no other one. */
export function roundsOf({ host, runner, own, found, numbers, operations_bytes, report }: Deps) {
  const sleeper = new Sleeper()
  const expiries = new ExpiryWatch()
  const rotation = new Rotation()
  const debug_logs = new DebugWatch()
  return {
    'health of sites': { first: FIRST_LOOK, every: LOOK, turn: () => own.look() },
    'visits of sites': { first: FIRST_LOOK, every: VISIT, turn: () => own.visit(found.size) },
    'visits of found sites': {
      first: FIRST_LOOK,
      every: VISIT,
      turn: () => found.visit(own.size),
    },
    numbers: { first: UNTIL_MINUTE, every: UNTIL_MINUTE, turn: () => numbers.collect(report) },
    // The disk use of each site every six hours, and of a new one within two minutes.
    'disk use': {
      first: SOON,
      every: [MINUTE_MS, MINUTE_MS],
      turn: () => measureDue(host, report),
    },
    // Sites without visitors: a restart of the agent restarts their idle time.
    'sleep of PHP': { every: EVERY_MINUTE, turn: () => sleeper.look(host, report) },
    'end of access': { every: EVERY_HALF_MINUTE, turn: () => expiries.look(host) },
    // Before the journal may lose them.
    logins: { every: EVERY_MINUTE, turn: () => loginsOn(host).keep() },
    // Frees memory of requests that have ended.
    'read backups': { every: EVERY_MINUTE, turn: async () => browsers(host).expire() },
    'end of debug logs': {
      every: EVERY_HALF_MINUTE,
      turn: () => debug_logs.look(host, runner, report),
    },
    // Logs in the folders of sites, and those that grow too fast for the daily rotation.
    'rotation of logs': {
      every: [5 * MINUTE_MS, MINUTE_MS],
      turn: () => rotation.look(host, report),
    },
    // Disk space for a full disk, and the undo of operations that a full disk stopped.
    'reserve and cleanup': {
      every: EVERY_HALF_MINUTE,
      async turn() {
        await runner.store.reserve.keep().catch(report)
        await runner.settle()
      },
    },
    'limits of the database': {
      first: [20 * SECOND_MS, 0],
      every: [20 * SECOND_MS, 0],
      turn: watchDatabase(host, runner, report),
    },
    // At a random minute, so that a whole fleet does not contact an authority at once.
    'renewal of certificates': {
      first: [5 * MINUTE_MS, HOUR_MS],
      every: [45 * MINUTE_MS, 30 * MINUTE_MS],
      turn: () => renewAll(host, runner, report, {}),
    },
    // Each at the time on its record: features/domains/tries.ts.
    'renewal of refused certificates': {
      first: [MINUTE_MS, MINUTE_MS],
      every: [MINUTE_MS, MINUTE_MS],
      turn: () => renewAll(host, runner, report, { refused: true }),
    },
    'restart of updated programs': {
      first: SOON,
      every: [5 * SECOND_MS, 0],
      turn: keepMaintained(host, runner, report),
    },
    'layout of sites': { every: [HOUR_MS, 0], turn: keepLayout(host, runner, report) },
    'old operations': {
      first: EVERY_MINUTE,
      every: [24 * HOUR_MS, 0],
      turn: tidyDaily(host, runner, operations_bytes),
    },
  } satisfies Record<string, Round>
}

export function startRounds(deps: Deps): void {
  for (const round of Object.values<Round>(roundsOf(deps)))
    void repeat(deps.host, round, deps.report)
}

/** A turn that fails is reported, and the next one comes after its pause. */
export async function repeat(
  { clock, random }: Pick<Host, 'clock' | 'random'>,
  { first, every, turn }: Round,
  report: Deps['report'],
): Promise<never> {
  const pause = async (length: Pause) => {
    if (typeof length === 'function') return clock.sleep(length(clock))
    const [ms, jitter_ms] = length
    return clock.sleep(ms + (jitter_ms > 0 ? random.integer(jitter_ms) : 0))
  }
  if (first) await pause(first)
  for (;;) {
    await turn().catch(report)
    await pause(every)
  }
}

/** Increased with each change of the units, files and rights of sites that existing sites must get. */
const LAYOUT = 13

type Report = (error: unknown) => void

const Layout = z.object({ layout: z.number().int() })

const pathIn = ({ settings }: Host) => `${settings.state_dir}/layout.json`

/**
 * Makes the work of each round, which ends with the first success for a new layout: it provisions the
 * server again, and updates every site, one after another, as ordinary operations. Sites do not wait for
 * a server that cannot be provisioned, and are updated again after that.
 */
function keepLayout(host: Host, runner: Runner, report: Report): () => Promise<void> {
  const done = new Set<string>()
  let ready = false
  let over = false
  return async () => {
    over ||= (await readLayout(host)) >= LAYOUT
    if (over) return
    if (!ready) {
      ready = await provisioned(host, runner, report)
      if (ready) done.clear()
    }
    const complete = await applyToAll(host, runner, done, report)
    if (!ready || !complete) return
    await host.files.write(pathIn(host), `${JSON.stringify({ layout: LAYOUT })}\n`, { mode: 0o600 })
  }
}

/** An update without a change applies the whole layout. False: some sites are not updated yet. */
async function applyToAll(
  host: Host,
  runner: Runner,
  done: Set<string>,
  report: Report,
): Promise<boolean> {
  const sites = (await listSites(host)).filter(({ domain }) => !done.has(domain))
  for (const { domain } of sites) {
    const problem = await problemOf(runner.start('site.update', { domain }))
    if (problem === undefined) done.add(domain)
    else
      report(new Error(`${domain} could not be updated to this version of the agent: ${problem}`))
  }
  return sites.every(({ domain }) => done.has(domain))
}

async function readLayout(host: Host): Promise<number> {
  const text = await host.files.read(pathIn(host))
  return text === undefined ? 1 : Layout.parse(JSON.parse(text)).layout
}

/** A server without sites is provisioned with its first one. */
async function provisioned(host: Host, runner: Runner, report: Report): Promise<boolean> {
  const sites = await listSites(host)
  if (sites.length === 0) return true
  const php_versions = [...new Set(sites.map(({ php }) => php))].sort()
  const problem = await problemOf(runner.start('server.provision', { php_versions }))
  if (problem !== undefined)
    report(new Error(`The server could not be updated to this version of the agent: ${problem}`))
  return problem === undefined
}

/** The reason of the failure, if any. */
async function problemOf(starting: Promise<Operation>): Promise<string | undefined> {
  try {
    const failure = await (await starting).untilEnd()
    return failure && JSON.stringify(failure)
  } catch (error) {
    return String(error)
  }
}
