import { BASE_PATH } from '#agent/features/web/base-file.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Runner } from '#agent/kernel/operations/runner.ts'
import { restartingSteps } from '#agent/kernel/services/restarting.ts'
import { propertiesOf } from '#agent/kernel/services/systemd.ts'
import { resultOf } from '#agent/kernel/steps/progress.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import { oneLine } from '#shared/updates/maintenance.ts'
import { changeKept, checkMaintenance } from './check.ts'
import { listsReadAt } from './pending.ts'
import { readKept } from './records.ts'
import { renewals } from './renewals.ts'
import { noteRestarts } from './restarts.ts'
import { namedServices } from './services.ts'
import { refreshLists } from './upgrade.ts'

const SECOND_MS = 1000
const PAUSE_MS = SECOND_MS / 2
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
/** dpkg runs several times for one update: it is over after this time without a change. */
const QUIET_MS = 10 * SECOND_MS
/** Packages that stay half-installed block restarts only for this time. */
const BUSY_MS = 10 * MINUTE_MS
const AGAIN_MS = 10 * MINUTE_MS
const REVIVE_MS = 5 * MINUTE_MS
/** apt's own timer reads them twice a day where it runs. */
const LISTS_MS = 26 * HOUR_MS

type Report = (error: unknown) => void

/** The state of this process between rounds. */
interface Due {
  check: number
  minute: number
  revive: number
  /** When dpkg had changed something at the last check. */
  dpkg: number
  /** When a failed restart is retried. */
  again: number
}

/**
 * Makes the work of each round: on a provisioned server, after each change of dpkg, each hour and after
 * a start, it finds programs that run replaced files, restarts them one after another, and stores the result for the
 * dashboard. In between it counts restarts by systemd, and starts units that systemd has given up.
 */
export function keepMaintained(host: Host, runner: Runner, report: Report): () => Promise<void> {
  const start = host.clock.elapsed()
  const due = { check: start, minute: start, revive: start, dpkg: 0, again: Infinity }
  return async () => {
    if (await isReady(host)) await turn(host, runner, due, report)
  }
}

async function turn(host: Host, runner: Runner, due: Due, report: Report): Promise<void> {
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
      if (waiting) due.again = now + AGAIN_MS
    })
    .catch(report)
}

const isReady = async ({ files }: Host) => (await files.stat(BASE_PATH)) !== undefined

/** Also after somebody has removed what the provisioning has set. */
async function ensureRestarting(host: Host): Promise<void> {
  for (const { apply } of await restartingSteps(host)) await apply()
}

/** True: a restart failed and must be retried. */
async function maintain(host: Host, runner: Runner, report: Report): Promise<boolean> {
  if ((await listsReadAt(host)) !== null) await resultOf(refreshLists(host, LISTS_MS)).catch(report)
  await checkMaintenance(host)
  return renewAll(host, runner, report)
}

async function countRestarts(host: Host): Promise<void> {
  const { restarts } = await readKept(host)
  const after = await noteRestarts(host, restarts)
  if (JSON.stringify(after) !== JSON.stringify(restarts))
    await changeKept(host, (kept) => ({ ...kept, restarts: after }))
}

/** Since the last check, and not in the last seconds. */
async function hasChanged(host: Host, { dpkg }: Due): Promise<boolean> {
  const changed = await dpkgChangedAt(host)
  return changed !== dpkg && Math.abs(host.clock.now() - changed) > QUIET_MS
}

async function isQuiet(host: Host): Promise<boolean> {
  const age = Math.abs(host.clock.now() - (await dpkgChangedAt(host)))
  return age > BUSY_MS || !(await isDpkgBusy(host))
}

/** One after another. When one fails, the others of its kind wait: the cause may affect them too. */
async function renewAll(host: Host, runner: Runner, report: Report): Promise<boolean> {
  const failed = new Map<string, string>()
  const waiting = new Set<string>()
  const found = await renewals(host, { database: false })
  const { renewed } = await readKept(host)
  const changed = await dpkgChangedAt(host)
  for (const { name, group, key, apply } of found) {
    if (waiting.has(group)) continue
    if ((renewed[name] ?? 0) > changed) {
      failed.set(name, STILL)
      continue
    }
    try {
      // First, because the agent does not return from its own restart.
      await noteRenewed(host, name)
      await runner.alone(key, apply)
    } catch (error) {
      waiting.add(group)
      failed.set(name, oneLine(messageOf(error)))
      await noteRenewed(host, name, 0)
      report(error)
    }
    await host.clock.sleep(PAUSE_MS)
  }
  if (found.length === 0) return false
  await changeKept(host, (kept) => ({ ...kept, failed: Object.fromEntries(failed) }))
  await checkMaintenance(host)
  return failed.size > 0
}

/** Another restart would not help, and the agent would restart itself endlessly. */
const STILL = 'It was restarted, and still runs replaced files: reboot the server'

function noteRenewed(host: Host, name: string, at = host.clock.now()): Promise<void> {
  return changeKept(host, (kept) => ({ ...kept, renewed: { ...kept.renewed, [name]: at } }))
}

/**
 * Starts units that systemd has given up after its limit: the cause may be gone. A unit that an
 * administrator has stopped is not failed, and stays stopped.
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

/** dpkg writes this file with every change; 0 if it is missing. */
async function dpkgChangedAt({ files }: Host): Promise<number> {
  return (await files.stat(STATUS))?.mtime_ms ?? 0
}

/**
 * Whether dpkg is between two of its steps: a program that starts now might load new modules into
 * an old program.
 */
async function isDpkgBusy({ files }: Host): Promise<boolean> {
  const pids = (await files.list('/proc')).filter(({ name }) => /^[1-9]\d*$/.test(name))
  for (const { name } of pids) {
    const comm = (await files.read(`/proc/${name}/comm`).catch(() => ''))?.trim()
    if (comm === 'dpkg') return true
  }
  return UNFINISHED.test((await files.read(STATUS, 64 << 20)) ?? '')
}
