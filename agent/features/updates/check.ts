import type { Host } from '#agent/kernel/host/ports.ts'
import type { Maintenance } from '#shared/updates/maintenance.ts'
import { lastUpdate } from './last-update.ts'
import { oldPrograms, reported } from './old-files.ts'
import { listsReadAt, pendingPackages } from './pending.ts'
import { rebootOf } from './reboot.ts'
import { type Kept, readKept, writeKept } from './records.ts'
import { restartsOf } from './restarts.ts'
import { unattendedOf } from './unattended.ts'

/** Checks everything, and stores the result. One at a time: two would overwrite each other. */
export function checkMaintenance(host: Host): Promise<Maintenance> {
  return host.exclusive('maintenance', async () => {
    const kept = await readKept(host)
    const maintenance = await found(host, kept)
    const names = new Set(maintenance.old_files.map(({ name }) => name))
    const stillOld = <T>(record: Record<string, T>) =>
      Object.fromEntries(Object.entries(record).filter(([name]) => names.has(name)))
    const [failed, renewed] = [stillOld(kept.failed), stillOld(kept.renewed)]
    await writeKept(host, { ...kept, maintenance, failed, renewed })
    return maintenance
  })
}

/** Changes what is kept. */
export function changeKept(host: Host, change: (kept: Kept) => Kept): Promise<void> {
  return host.exclusive('maintenance', async () => writeKept(host, change(await readKept(host))))
}

async function found(host: Host, kept: Kept): Promise<Maintenance> {
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
    old_files: reported(await oldPrograms(host), before?.old_files ?? [], { now, problems }),
    restarts: restartsOf(kept.restarts, Date.parse(now)),
    unattended: await unattendedOf(host),
    last_update: await lastUpdate(host, before?.last_update ?? null),
  }
}
