import type { Host } from '#agent/kernel/host/ports.ts'
import { onUnits } from '#agent/kernel/services/index.ts'
import { sliceOf, slicePathOf, UNITS } from '#agent/kernel/services/systemd.ts'

const SLICES = '/sys/fs/cgroup/hosting.slice'

/** Ends all processes in the slice of a site; systemd then unloads it, with or without its file. */
export const stopSlice = onUnits(async ({ shell }, user: string): Promise<void> => {
  await shell.try(['systemctl', 'stop', sliceOf(user)])
}, undefined)

/**
 * Runs work with programs that must not be stopped halfway: `stopOrphanedSlice` waits for its end.
 * systemd-run(1) can return 0 for a program that was stopped with its slice.
 */
export const withSliceInUse = <T>(host: Host, user: string, work: () => Promise<T>): Promise<T> =>
  host.exclusive(sliceOf(user), work)

/**
 * Stops the slice of a deleted site, which has no unit file any more, but which systemd keeps for
 * the last program. A slice in use stays: its last program stops it.
 */
export const stopOrphanedSlice = onUnits(async (host, user: string): Promise<void> => {
  if (await host.files.stat(slicePathOf(user))) return
  if (await isPopulated(host, user)) return
  await withSliceInUse(host, user, async () => {
    if (!(await isPopulated(host, user))) await stopSlice(host, user)
  })
}, undefined)

/**
 * Stops, at the start of the agent, slices without a unit file of a site. A killed agent left them,
 * with programs of a site that is now in the trash or permanently deleted.
 */
export const stopLeftoverSlices = onUnits(async ({ files, shell }): Promise<void> => {
  for (const { name } of await files.list(SLICES)) {
    if (!/^hosting-.+\.slice$/.test(name) || (await files.stat(`${UNITS}/${name}`))) continue
    await shell.try(['systemctl', 'stop', name])
  }
}, undefined)

/** Reads cgroup.events of the kernel: cgroups(7). */
async function isPopulated({ files }: Host, user: string): Promise<boolean> {
  const events = await files.read(`${SLICES}/${sliceOf(user)}/cgroup.events`)
  return /^populated 1$/m.test(events ?? '')
}
