import { jobsStopReason } from '#agent/features/jobs/cron/cron.ts'
import { serviceUnitOf, timerUnitOf } from '#agent/features/jobs/cron/files.ts'
import { jobServiceOf } from '#agent/features/jobs/cron/own-files.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { propertiesOf } from '#agent/kernel/services/systemd.ts'
import { listSites, type Site } from '#agent/kernel/site/sites.ts'
import { EVENTS_LATE_MS, MANY_FAILURES, type SiteJobTrouble } from '#shared/jobs/site-jobs.ts'
import { runsOfUnit } from './journal.ts'
import { failuresOf } from './own.ts'

/** The maximum number of units in one call of systemctl(1), whose command line is limited. */
const MAX_UNITS = 500

type UnitStates = ReadonlyMap<string, { ActiveState: string }>

/**
 * Lists the sites whose jobs fail again and again, or whose events do not run. The journal is read
 * only for units that failed last, and for inactive timers.
 */
export async function listJobTroubles(host: Host): Promise<SiteJobTrouble[]> {
  const sites = (await listSites(host)).filter((site) => jobsStopReason(site) === null)
  const states = await statesOf(host, sites.flatMap(unitsOf))
  const found: SiteJobTrouble[] = []
  for (const site of sites) {
    const failing = await failingJobs(host, site, states)
    const overdue_since = await overdueSince(host, site, states)
    if (failing.length > 0 || overdue_since !== null)
      found.push({ domain: site.domain, failing, overdue_since })
  }
  return found
}

const unitsOf = ({ user, jobs = [] }: Site): string[] => [
  serviceUnitOf(user),
  timerUnitOf(user),
  ...jobs.map(({ name }) => jobServiceOf(user, name)),
]

async function statesOf(host: Host, units: readonly string[]): Promise<UnitStates> {
  const states = new Map<string, { ActiveState: string }>()
  for (let at = 0; at < units.length; at += MAX_UNITS) {
    const some = await propertiesOf(host, units.slice(at, at + MAX_UNITS), ['ActiveState'])
    for (const [unit, state] of some) states.set(unit, state)
  }
  return states
}

async function failingJobs(
  host: Host,
  { user, jobs = [] }: Site,
  states: UnitStates,
): Promise<SiteJobTrouble['failing']> {
  const failing: SiteJobTrouble['failing'] = []
  for (const { name } of jobs) {
    const unit = jobServiceOf(user, name)
    if (states.get(unit)?.ActiveState !== 'failed') continue
    const runs = await runsOfUnit(host, unit)
    const failures = failuresOf(runs)
    const at = runs[0]?.started_at
    if (failures >= MANY_FAILURES && at !== undefined) failing.push({ name, failures, at })
  }
  return failing
}

/** Returns the time of the last success, or of the first known run, if over an hour ago. */
async function overdueSince(
  host: Host,
  { user }: Site,
  states: UnitStates,
): Promise<string | null> {
  const service = serviceUnitOf(user)
  const isFailed = states.get(service)?.ActiveState === 'failed'
  const timer = states.get(timerUnitOf(user))?.ActiveState
  const isStill = timer === 'inactive' || timer === 'failed'
  if (!isFailed && !isStill) return null
  const runs = await runsOfUnit(host, service)
  const good = runs.find(({ result }) => result === 'success')
  const since = (good ?? runs.at(-1))?.started_at
  if (since === undefined || host.clock.now() - Date.parse(since) < EVENTS_LATE_MS) return null
  return since
}
