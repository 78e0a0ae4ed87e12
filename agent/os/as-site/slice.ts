import type { Host } from '#agent/host/ports.ts'
import { sliceOf, slicePathOf, UNITS } from '#agent/os/services/systemd.ts'

const SLICES = '/sys/fs/cgroup/hosting.slice'

/** Ends whatever still runs in the slice of a site; systemd then forgets it, its file there or not. */
export async function stopSlice({ init, shell }: Host, user: string): Promise<void> {
  if (init === 'systemd') await shell.try(['systemctl', 'stop', sliceOf(user)])
}

/**
 * A site that is deleted has no slice of its own any more: systemd made one for the program, and keeps
 * it. It stays while something else of the site runs in it, which stops it in its turn.
 */
export async function stopOrphanedSlice(host: Host, user: string): Promise<void> {
  if (host.init !== 'systemd' || (await host.files.stat(slicePathOf(user)))) return
  if (await isPopulated(host, user)) return
  await stopSlice(host, user)
}

/**
 * At the start of the agent: stops the slices that no file of a site describes. An agent that was killed
 * left them, with what it ran there for a site that is in the trash or gone.
 */
export async function stopLeftSlices({ init, files, shell }: Host): Promise<void> {
  if (init !== 'systemd') return
  for (const { name } of await files.list(SLICES)) {
    if (!/^hosting-.+\.slice$/.test(name) || (await files.stat(`${UNITS}/${name}`))) continue
    await shell.try(['systemctl', 'stop', name])
  }
}

/** As the kernel counts it, in cgroup.events: cgroups(7). */
async function isPopulated({ files }: Host, user: string): Promise<boolean> {
  const events = await files.read(`${SLICES}/${sliceOf(user)}/cgroup.events`)
  return /^populated 1$/m.test(events ?? '')
}
