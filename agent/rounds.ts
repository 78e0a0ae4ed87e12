import { z } from 'zod'
import { ExpiryWatch } from '#agent/features/access/expiry.ts'
import { loginsOn } from '#agent/features/access/logins.ts'
import { browsers } from '#agent/features/backups/read/browse.ts'
import { watchDatabase } from '#agent/features/database/database-watch.ts'
import { renewAll } from '#agent/features/domains/renewal.ts'
import type { FoundMonitor } from '#agent/features/health/found/monitor.ts'
import type { HealthMonitor } from '#agent/features/health/monitor.ts'
import { LogRotation } from '#agent/features/logs/rotate.ts'
import type { NumbersCollector } from '#agent/features/metrics/collector.ts'
import { measureDue } from '#agent/features/metrics/usage/measure-due.ts'
import { Sleeper } from '#agent/features/php/fpm-sleep.ts'
import { DebugWatch } from '#agent/features/sites/end-debug-logs.ts'
import { keepMaintained } from '#agent/features/updates/maintenance.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Operation } from '#agent/kernel/operations/operation.ts'
import { removeOldDaily } from '#agent/kernel/operations/retention.ts'
import type { Runner } from '#agent/kernel/operations/runner.ts'
import { listSites } from '#agent/kernel/site/sites.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

export interface RoundDeps {
  host: Host
  runner: Runner
  own: HealthMonitor
  found: FoundMonitor
  numbers: NumbersCollector
  /** The limit of the records of operations in bytes. */
  operations_bytes: number
  report(error: unknown): void
}

/** A fixed pause with a random addition, so that a fleet does not do the same at once. */
type RoundPause = readonly [ms: number, jitter_ms: number] | ((clock: Host['clock']) => number)

interface Round {
  /** The pause before the first turn: after a start, the agent first has to answer requests. */
  first?: RoundPause
  /** The pause after the end of each turn. */
  every: RoundPause
  turn(): Promise<unknown>
}

const EVERY_HALF_MINUTE: RoundPause = [MINUTE_MS / 2, 0]
const EVERY_MINUTE: RoundPause = [MINUTE_MS, 0]
/** The pause of checks: the dashboard shows a broken site within a minute. */
const CHECK_PAUSE: RoundPause = [12 * SECOND_MS, 3 * SECOND_MS]
/** The pause of visits, which are separate: a hanging page delays nothing. */
const VISIT_PAUSE: RoundPause = [5 * SECOND_MS, 3 * SECOND_MS]
const FIRST_LOOK: RoundPause = [SECOND_MS, 0]
/** Returns the time until a moment after the end of a minute, before dashboards ask. */
const UNTIL_MINUTE: RoundPause = (clock) => MINUTE_MS - (clock.now() % MINUTE_MS) + SECOND_MS
const FIRST_PAUSE: RoundPause = [5 * SECOND_MS, 5 * SECOND_MS]

/** Returns the agent's repeated work: each round has its own pause and delays no other. */
export function roundsOf({
  host,
  runner,
  own,
  found,
  numbers,
  operations_bytes,
  report,
}: RoundDeps) {
  const sleeper = new Sleeper()
  const expiries = new ExpiryWatch()
  const rotation = new LogRotation()
  const debug_logs = new DebugWatch()
  return {
    'health of sites': { first: FIRST_LOOK, every: CHECK_PAUSE, turn: () => own.look() },
    'visits of sites': { first: FIRST_LOOK, every: VISIT_PAUSE, turn: () => own.visit(found.size) },
    'visits of found sites': {
      first: FIRST_LOOK,
      every: VISIT_PAUSE,
      turn: () => found.visit(own.size),
    },
    numbers: { first: UNTIL_MINUTE, every: UNTIL_MINUTE, turn: () => numbers.collect(report) },
    // The disk use of each site every six hours, and of a new one within two minutes.
    'disk use': {
      first: FIRST_PAUSE,
      every: [MINUTE_MS, MINUTE_MS],
      turn: () => measureDue(host, report),
    },
    // A restart of the agent restarts the idle time of sites without visitors.
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
    // Provides disk space for a full disk and retries the undo that a full disk stopped.
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
    // Each at the time on its record: features/domains/failed-requests.ts.
    'renewal of refused certificates': {
      first: [MINUTE_MS, MINUTE_MS],
      every: [MINUTE_MS, MINUTE_MS],
      turn: () => renewAll(host, runner, report, { refused: true }),
    },
    'restart of updated programs': {
      first: FIRST_PAUSE,
      every: [5 * SECOND_MS, 0],
      turn: keepMaintained(host, runner, report),
    },
    'layout of sites': { every: [HOUR_MS, 0], turn: keepLayout(host, runner, report) },
    'old operations': {
      first: EVERY_MINUTE,
      every: [24 * HOUR_MS, 0],
      turn: removeOldDaily(host, runner, operations_bytes),
    },
  } satisfies Record<string, Round>
}

export function startRounds(deps: RoundDeps): void {
  for (const round of Object.values<Round>(roundsOf(deps)))
    void repeat(deps.host, round, deps.report)
}

/** Repeats a turn. A failure is reported, and the next turn comes after its pause. */
export async function repeat(
  { clock, random }: Pick<Host, 'clock' | 'random'>,
  { first, every, turn }: Round,
  report: RoundDeps['report'],
): Promise<never> {
  const pause = async (length: RoundPause) => {
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

/** The number of the layout, which grows with each change of sites that existing ones need. */
const CURRENT_LAYOUT = 13

type ReportError = (error: unknown) => void

const LayoutFile = z.object({ layout: z.number().int() })

const pathIn = ({ settings }: Host) => `${settings.state_dir}/layout.json`

/**
 * Returns the work of each round, which ends with the first success for a new layout: it provisions
 * the server again, and updates every site, one after another, as ordinary operations. Sites do not
 * wait for a server that cannot be provisioned, and are updated again after that.
 */
function keepLayout(host: Host, runner: Runner, report: ReportError): () => Promise<void> {
  const done = new Set<string>()
  let ready = false
  let over = false
  return async () => {
    over ||= (await readLayout(host)) >= CURRENT_LAYOUT
    if (over) return
    if (!ready) {
      ready = await isProvisioned(host, runner, report)
      if (ready) done.clear()
    }
    const complete = await applyToAll(host, runner, done, report)
    if (!ready || !complete) return
    await host.files.write(pathIn(host), `${JSON.stringify({ layout: CURRENT_LAYOUT })}\n`, {
      mode: 0o600,
    })
  }
}

/** Updates every site without a change, which applies the layout. Returns whether all have it. */
async function applyToAll(
  host: Host,
  runner: Runner,
  done: Set<string>,
  report: ReportError,
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
  return text === undefined ? 1 : LayoutFile.parse(JSON.parse(text)).layout
}

/** Returns whether the server is provisioned; else the first site provisions it. */
async function isProvisioned(host: Host, runner: Runner, report: ReportError): Promise<boolean> {
  const sites = await listSites(host)
  if (sites.length === 0) return true
  const php_versions = [...new Set(sites.map(({ php }) => php))].sort()
  const problem = await problemOf(runner.start('server.provision', { php_versions }))
  if (problem !== undefined)
    report(new Error(`The server could not be updated to this version of the agent: ${problem}`))
  return problem === undefined
}

/** Returns the reason of a failure. */
async function problemOf(starting: Promise<Operation>): Promise<string | undefined> {
  try {
    const failure = await (await starting).untilEnd()
    return failure && JSON.stringify(failure)
  } catch (error) {
    return String(error)
  }
}
