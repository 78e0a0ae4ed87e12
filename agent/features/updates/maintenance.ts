import { BASE_PATH } from '#agent/features/web/base-file.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Runner } from '#agent/kernel/operations/runner.ts'
import { restartingSteps } from '#agent/kernel/services/restart-drop-ins.ts'
import { propertiesOf } from '#agent/kernel/services/systemd.ts'
import { resultOf } from '#agent/kernel/steps/progress.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import { oneLine } from '#shared/updates/maintenance.ts'
import { checkMaintenance, updateMaintenanceState } from './check.ts'
import { readMaintenanceState } from './maintenance-state.ts'
import { listsReadAt } from './pending-packages.ts'
import { programRestarts } from './program-restarts.ts'
import { countNewRestarts } from './restarts.ts'
import { namedServices } from './services.ts'
import { refreshLists } from './upgrade.ts'

const SECOND_MS = 1000
const PAUSE_MS = SECOND_MS / 2
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
/** The time without a change after which an update is over: dpkg runs several times for one. */
const QUIET_MS = 10 * SECOND_MS
/** The maximum time for which half-installed packages block restarts. */
const BUSY_MS = 10 * MINUTE_MS
const RETRY_MS = 10 * MINUTE_MS
const REVIVE_MS = 5 * MINUTE_MS
/** The maximum age of package lists, where apt's own timer does not read them twice a day. */
const LISTS_MS = 26 * HOUR_MS

type ReportError = (error: unknown) => void

/** The state of this process between rounds. */
interface MaintenanceSchedule {
  check: number
  minute: number
  revive: number
  /** The time of dpkg's last change at the last check. */
  dpkg: number
  /** The time when a failed restart is retried. */
  again: number
}

/**
 * Returns the work of each round: on a provisioned server, after each change of dpkg, each hour and
 * after a start, it finds programs that run replaced files, restarts them one after another, and
 * stores the result for the dashboard. In between it counts restarts by systemd, and starts units
 * that systemd has given up.
 */
export function keepMaintained(
  host: Host,
  runner: Runner,
  report: ReportError,
): () => Promise<void> {
  const start = host.clock.elapsed()
  const due = { check: start, minute: start, revive: start, dpkg: 0, again: Infinity }
  return async () => {
    if (await isReady(host)) await runRound(host, runner, due, report)
  }
}

async function runRound(
  host: Host,
  runner: Runner,
  due: MaintenanceSchedule,
  report: ReportError,
): Promise<void> {
  const now = host.clock.elapsed()
  if (now >= due.minute) {
    due.minute = now + MINUTE_MS
    await countRestarts(host).catch(report)
  }
  if (now >= due.revive) {
    due.revive = now + REVIVE_MS
    await ensureRestarting(host).catch(report)
    await reviveFailed(host).catch(report)
  }
  if (now < due.check && now < due.again && !(await hasChanged(host, due))) return
  if (!(await isQuiet(host))) return
  due.check = now + HOUR_MS
  due.again = Infinity
  due.dpkg = await dpkgChangedAt(host)
  await maintain(host, runner, report)
    .then((waiting) => {
      if (waiting) due.again = now + RETRY_MS
    })
    .catch(report)
}

const isReady = async ({ files }: Host) => (await files.stat(BASE_PATH)) !== undefined

/** Restores the drop-ins of the provisioning after somebody has removed them. */
async function ensureRestarting(host: Host): Promise<void> {
  for (const { apply } of await restartingSteps(host)) await apply()
}

/** Returns true when a restart failed and must be retried. */
async function maintain(host: Host, runner: Runner, report: ReportError): Promise<boolean> {
  if ((await listsReadAt(host)) !== null) await resultOf(refreshLists(host, LISTS_MS)).catch(report)
  await checkMaintenance(host)
  return renewAll(host, runner, report)
}

async function countRestarts(host: Host): Promise<void> {
  const { restarts } = await readMaintenanceState(host)
  const after = await countNewRestarts(host, restarts)
  if (JSON.stringify(after) !== JSON.stringify(restarts))
    await updateMaintenanceState(host, (kept) => ({ ...kept, restarts: after }))
}

/** Returns whether dpkg changed something since the last check, but not in the last seconds. */
async function hasChanged(host: Host, { dpkg }: MaintenanceSchedule): Promise<boolean> {
  const changed = await dpkgChangedAt(host)
  return changed !== dpkg && Math.abs(host.clock.now() - changed) > QUIET_MS
}

async function isQuiet(host: Host): Promise<boolean> {
  const age = Math.abs(host.clock.now() - (await dpkgChangedAt(host)))
  return age > BUSY_MS || !(await isDpkgBusy(host))
}

/** Restarts one after another. After a failure its group waits: they may fail too. */
async function renewAll(host: Host, runner: Runner, report: ReportError): Promise<boolean> {
  const failed = new Map<string, string>()
  const waiting = new Set<string>()
  const found = await programRestarts(host, { database: false })
  const { renewed } = await readMaintenanceState(host)
  const changed = await dpkgChangedAt(host)
  for (const { name, group, key, apply } of found) {
    if (waiting.has(group)) continue
    if ((renewed[name] ?? 0) > changed) {
      failed.set(name, STILL_OLD)
      continue
    }
    try {
      // Recorded first, because the agent does not return from its own restart.
      await recordRenewal(host, name)
      await runner.alone(key, apply)
    } catch (error) {
      waiting.add(group)
      failed.set(name, oneLine(messageOf(error)))
      await recordRenewal(host, name, 0)
      report(error)
    }
    await host.clock.sleep(PAUSE_MS)
  }
  if (found.length === 0) return false
  await updateMaintenanceState(host, (kept) => ({ ...kept, failed: Object.fromEntries(failed) }))
  await checkMaintenance(host)
  return failed.size > 0
}

/** The reason that prevents endless restarts: another one would not help. */
const STILL_OLD = 'It was restarted, and still runs replaced files: reboot the server'

function recordRenewal(host: Host, name: string, at = host.clock.now()): Promise<void> {
  return updateMaintenanceState(host, (kept) => ({
    ...kept,
    renewed: { ...kept.renewed, [name]: at },
  }))
}

/**
 * Starts units that systemd has given up after its limit: the cause may no longer exist. A unit
 * that an administrator has stopped is not failed, and stays stopped.
 */
async function reviveFailed(host: Host): Promise<string[]> {
  const services = await namedServices(host)
  const units = services.flatMap(({ unit, service }) => [unit, service?.socket_unit ?? []].flat())
  const states = await propertiesOf(host, units, ['ActiveState'])
  const failed = units.filter((unit) => states.get(unit)?.ActiveState === 'failed')
  for (const unit of failed) {
    await host.shell.try(['systemctl', 'reset-failed', unit])
    await host.shell.try(['systemctl', 'start', unit])
  }
  return failed
}

const STATUS = '/var/lib/dpkg/status'
const UNFINISHED = /^Status: \S+ \S+ (unpacked|half-installed|half-configured)$/m

/** Returns the time of the file that dpkg writes with every change; 0 if it is missing. */
async function dpkgChangedAt({ files }: Host): Promise<number> {
  return (await files.stat(STATUS))?.mtime_ms ?? 0
}

/** Returns whether dpkg is between two of its steps, when programs mix modules. */
async function isDpkgBusy({ files }: Host): Promise<boolean> {
  const pids = (await files.list('/proc')).filter(({ name }) => /^[1-9]\d*$/.test(name))
  for (const { name } of pids) {
    const comm = (await files.read(`/proc/${name}/comm`).catch(() => ''))?.trim()
    if (comm === 'dpkg') return true
  }
  return UNFINISHED.test((await files.read(STATUS, 64 << 20)) ?? '')
}
