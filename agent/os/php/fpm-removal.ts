import type { Host } from '#agent/host/ports.ts'
import { stopSlice } from '#agent/os/as-site/slice.ts'
import * as effects from '#agent/os/effects/effects.ts'
import { removeGenerated } from '#agent/os/effects/generated.ts'
import { closeSocket } from '#agent/os/mail/sockets.ts'
import { planRemoveInstance, removeInstance } from '#agent/os/object-cache/instance.ts'
import { formOf, onUnits, servicesOf } from '#agent/os/services/index.ts'
import { isRunning } from '#agent/os/services/service.ts'
import { slicePathOf } from '#agent/os/services/systemd.ts'
import type { Effect } from '#shared/plan.ts'
import {
  fpmService,
  type Pool,
  pausedPathOf,
  poolFolderOf,
  RUN_FOLDER,
  socketOf,
  socketUnitPathOf,
  unitPathOf,
  wantsPathOf,
} from './fpm-files.ts'
import { listOthers } from './fpm-pools.ts'

/**
 * Stops and removes the PHP-FPM of a user for one version; a missing one is fine. The folder of its
 * configuration identifies the pool and goes last: an interrupted removal can be completed.
 */
async function remove(host: Host, pool: Pool): Promise<void> {
  await stopAndForget(host, pool)
  for (const path of [unitPathOf(pool), socketUnitPathOf(pool)]) await removeGenerated(host, path)
  for (const path of [socketOf(pool), fpmService(pool).pid_file]) await host.files.remove(path)
  await host.files.remove(poolFolderOf(pool))
}

/** Stops and removes pools of the user for other PHP versions. */
export async function removeOthers(host: Host, pool: Pool): Promise<void> {
  const others = await listOthers(host, pool)
  if (others.length === 0) return
  // Workers that nginx is about to end may still send a request.
  await host.clock.sleep(500)
  for (const pool of others) await remove(host, pool)
  await servicesOf(host).reread()
}

/** What `removeOthers` would do. */
export async function planRemoveOthers(host: Host, pool: Pool): Promise<Effect[]> {
  const others = await listOthers(host, pool)
  return (await Promise.all(others.map((other) => planRemove(host, other)))).flat()
}

async function planRemove(host: Host, pool: Pool): Promise<Effect[]> {
  const { unit, pid_file } = fpmService(pool)
  const files = [unitPathOf(pool), socketUnitPathOf(pool), pid_file]
  const runs = await isRunning(host, fpmService(pool))
  return [
    ...(runs ? [effects.remove('service', unit)] : []),
    ...(await effects.planRemove(host, 'link', wantsPathOf(pool))),
    ...(await effects.planRemove(host, 'file', ...files)),
    ...(await effects.planRemove(host, 'folder', poolFolderOf(pool))),
    ...(await effects.planRemove(host, 'socket', socketOf(pool))),
  ]
}

/** The pools of every version, and their slice. */
export async function removeAll(host: Host, pool: Pool): Promise<void> {
  await removePools(host, pool)
  await removeSlice(host, pool.user)
  await host.files.remove(pausedPathOf(pool.user))
}

/**
 * The pools of every version; nothing of the site runs any more. Its slice can start again: without
 * the file, whatever runs as the site would count as left over, and its slice would be stopped. Visitors
 * see a page that says so (os/nginx/paused.ts) until PHP runs again.
 */
export async function pauseAll(host: Host, pool: Pool): Promise<void> {
  if (!(await host.files.stat(RUN_FOLDER))) await host.files.mkdir(RUN_FOLDER, { mode: 0o711 })
  await host.files.write(pausedPathOf(pool.user), '', { mode: 0o644 })
  await removePools(host, pool)
  await stopSlice(host, pool.user)
  await servicesOf(host).reread()
}

async function removePools(host: Host, { user, php }: Pool): Promise<void> {
  const pool = { user, php }
  for (const one of [pool, ...(await listOthers(host, pool))]) await remove(host, one)
  await removeInstance(host, user)
  await closeSocket(host, user).apply()
}

export const removeSlice = onUnits(async (host, user: string): Promise<void> => {
  // The slice stays active without its file, which a failed start has already removed.
  await stopSlice(host, user)
  if (!(await host.files.stat(slicePathOf(user)))) return
  await removeGenerated(host, slicePathOf(user))
  await servicesOf(host).reread()
}, undefined)

/** What `removeAll` would do. */
export async function planRemoveAll(host: Host, pool: Pool): Promise<Effect[]> {
  return [
    ...(await planPauseAll(host, pool)),
    ...(await effects.planRemove(host, 'file', slicePathOf(pool.user))),
  ]
}

/** What `pauseAll` would do. */
export async function planPauseAll(host: Host, pool: Pool): Promise<Effect[]> {
  return [
    ...(await planRemove(host, pool)),
    ...(await planRemoveOthers(host, pool)),
    ...(await planRemoveInstance(host, pool.user)),
    ...(await closeSocket(host, pool.user).effects()),
  ]
}

/** Also not at the next boot. */
export async function stopAndForget(host: Host, pool: Pool): Promise<void> {
  const service = fpmService(pool)
  const sign = formOf(host, { systemd: unitPathOf(pool), direct: service.pid_file })
  if (await host.files.stat(sign)) await servicesOf(host).stop(service)
  await host.files.remove(wantsPathOf(pool))
}
