import type { Host } from '#agent/kernel/host/ports.ts'
import type { LastUpdate, Maintenance, Reboot } from '#shared/updates/maintenance.ts'
import {
  type MaintenanceState,
  readMaintenanceState,
  writeMaintenanceState,
} from './maintenance-state.ts'
import { oldPrograms, toReported } from './old-files.ts'
import { listsReadAt, pendingPackages } from './pending-packages.ts'
import { restartsOf } from './restarts.ts'
import { unattendedOf } from './unattended.ts'

/** Checks everything, and stores the result. Exclusive, as two would overwrite each other. */
export function checkMaintenance(host: Host): Promise<Maintenance> {
  return host.exclusive('maintenance', async () => {
    const kept = await readMaintenanceState(host)
    const maintenance = await checkNow(host, kept)
    const names = new Set(maintenance.old_files.map(({ name }) => name))
    const stillOld = <T>(record: Record<string, T>) =>
      Object.fromEntries(Object.entries(record).filter(([name]) => names.has(name)))
    const [failed, renewed] = [stillOld(kept.failed), stillOld(kept.renewed)]
    await writeMaintenanceState(host, { ...kept, maintenance, failed, renewed })
    return maintenance
  })
}

/** Changes the stored state. */
export function updateMaintenanceState(
  host: Host,
  change: (kept: MaintenanceState) => MaintenanceState,
): Promise<void> {
  return host.exclusive('maintenance', async () =>
    writeMaintenanceState(host, change(await readMaintenanceState(host))),
  )
}

async function checkNow(host: Host, kept: MaintenanceState): Promise<Maintenance> {
  const now = new Date(host.clock.now()).toISOString()
  const { packages, problem } = await pendingPackages(host)
  const lists = await listsReadAt(host)
  const problems = new Map(Object.entries(kept.failed))
  const before = kept.maintenance
  return {
    checked_at: now,
    lists_at: lists === null ? null : new Date(lists).toISOString(),
    packages,
    packages_problem: problem,
    reboot: await rebootOf(host),
    old_files: toReported(await oldPrograms(host), before?.old_files ?? [], { now, problems }),
    restarts: restartsOf(kept.restarts, Date.parse(now)),
    unattended: await unattendedOf(host),
    last_update: await lastUpdate(host, before?.last_update ?? null),
  }
}

const HISTORY = '/var/log/apt/history.log'
const MAX_BYTES = 4 << 20
const MAX_PACKAGES = 500

/** Finds the newest upgrade in apt's history; an entry of an earlier month is in `before`. */
export async function lastUpdate(
  { files }: Host,
  before: LastUpdate | null,
): Promise<LastUpdate | null> {
  const text = (await files.read(HISTORY, MAX_BYTES).catch(() => undefined)) ?? ''
  const entry = text.split(/\n\n+/).findLast((part) => /^Upgrade: /m.test(part))
  if (entry === undefined) return before
  const [, day, time] = /^End-Date: (\d{4}-\d\d-\d\d) {2}(\d\d:\d\d:\d\d)$/m.exec(entry) ?? []
  const at = new Date(`${day}T${time}`)
  if (Number.isNaN(at.getTime())) return before
  const upgrades = /^Upgrade: (.*)$/m.exec(entry)?.[1] ?? ''
  const names = [...upgrades.matchAll(/(\S+?)(?::\w+)? \([^)]*\)/g)].map(([, name = '']) => name)
  return { at: at.toISOString(), packages: names.slice(0, MAX_PACKAGES) }
}

/**
 * Returns whether this server needs a reboot: for requests of packages, and for a newer kernel than
 * the running one. A container runs the kernel of its host, which is not in its own /boot.
 */
export async function rebootOf(host: Host): Promise<Reboot> {
  const requests = await requestsOf(host)
  const kernel = await newerKernel(host)
  const reasons = [...new Set([...(kernel ? [`kernel ${kernel}`] : []), ...requests])]
  return { needed: reasons.length > 0, reasons: reasons.slice(0, 100) }
}

/** Returns the packages whose scripts requested a reboot; none when their list is missing. */
async function requestsOf({ files }: Host): Promise<string[]> {
  if (!(await files.stat('/run/reboot-required'))) return []
  const text = (await files.read('/run/reboot-required.pkgs')) ?? ''
  const names = text.split('\n').filter((name) => /^[a-z0-9][a-z0-9+.-]*$/.test(name))
  return names.length > 0 ? names : ['packages']
}

async function newerKernel({ files }: Host): Promise<string | undefined> {
  const running = (await files.read('/proc/sys/kernel/osrelease'))?.trim() ?? ''
  const flavour = flavourOf(running)
  const installed = (await files.list('/boot'))
    .flatMap(({ name }) => /^vmlinuz-(.+)$/.exec(name)?.[1] ?? [])
    .filter((version) => flavourOf(version) === flavour)
  if (!installed.includes(running)) return undefined
  const newest = installed.reduce((one, other) => (isOlder(one, other) ? other : one), running)
  return newest === running ? undefined : newest
}

/** Returns the flavour of a kernel: `cloud-amd64` for `6.1.0-25-cloud-amd64`. */
const flavourOf = (release: string) => /^[\d.+~a-z]*?-\d+-(.*)$/.exec(release)?.[1] ?? ''

function isOlder(one: string, other: string): boolean {
  const [left = [], right = []] = [one, other].map((text) => (text.match(/\d+/g) ?? []).map(Number))
  const at = left.findIndex((number, index) => number !== right[index])
  return at >= 0 && (left[at] ?? 0) < (right[at] ?? 0)
}
