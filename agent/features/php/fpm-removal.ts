import { closeSocket } from '#agent/features/mail/sockets.ts'
import { removeInstance } from '#agent/features/object-cache/instance.ts'
import { type Change, declared, deferred, inOrder } from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import { removeGenerated } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { stopSlice } from '#agent/kernel/sandbox/slice.ts'
import { formOf, servicesOf } from '#agent/kernel/services/index.ts'
import { isRunning } from '#agent/kernel/services/service.ts'
import { slicePathOf } from '#agent/kernel/services/systemd.ts'
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
import { listOtherPools } from './fpm-pools.ts'

/**
 * Stops and removes the PHP-FPM of a user for one version, if it exists. The folder of its
 * configuration identifies the pool and goes last: an interrupted removal can be completed.
 */
const removePool = (host: Host, pool: Pool): Change => ({
  async effects() {
    const { unit, pid_file } = fpmService(pool)
    const files = [unitPathOf(pool), socketUnitPathOf(pool), pid_file]
    const runs = await isRunning(host, fpmService(pool))
    return [
      ...(runs ? [effects.remove('service', unit)] : []),
      ...(await effects.removalsOf(host, 'link', wantsPathOf(pool))),
      ...(await effects.removalsOf(host, 'file', ...files)),
      ...(await effects.removalsOf(host, 'folder', poolFolderOf(pool))),
      ...(await effects.removalsOf(host, 'socket', socketOf(pool))),
    ]
  },
  async apply() {
    await stopAndDisable(host, pool)
    for (const path of [unitPathOf(pool), socketUnitPathOf(pool)]) await removeGenerated(host, path)
    for (const path of [socketOf(pool), fpmService(pool).pid_file]) await host.files.remove(path)
    await host.files.remove(poolFolderOf(pool))
  },
})

/** Stops and removes pools of the user for other PHP versions. */
export const removeOtherPools = (host: Host, pool: Pool): Change =>
  deferred(async () => {
    const others = await listOtherPools(host, pool)
    if (others.length === 0) return inOrder()
    return inOrder(
      // Workers that nginx is about to end may still send a request.
      declared([], () => host.clock.sleep(500)),
      ...others.map((other) => removePool(host, other)),
      servicesReread(host),
    )
  })

const servicesReread = (host: Host): Change => declared([], () => servicesOf(host).reread())

/** Removes the pools of every version, and their slice. */
export const removePoolsAndSlice = (host: Host, pool: Pool): Change =>
  inOrder(
    removePools(host, pool),
    removeSlice(host, pool.user),
    declared([], () => host.files.remove(pausedPathOf(pool.user))),
  )

/**
 * Stops everything of the site, with pools of every version. Its slice can start again: without the
 * file, whatever runs as the site would count as left over, and its slice would be stopped.
 * Visitors see a page that says so (features/web/vhost.ts) until PHP runs again.
 */
export const pausePools = (host: Host, pool: Pool): Change =>
  inOrder(
    declared([], async () => {
      if (!(await host.files.stat(RUN_FOLDER))) await host.files.mkdir(RUN_FOLDER, { mode: 0o711 })
      await host.files.write(pausedPathOf(pool.user), '', { mode: 0o644 })
    }),
    removePools(host, pool),
    declared([], () => stopSlice(host, pool.user)),
    servicesReread(host),
  )

const removePools = (host: Host, { user, php }: Pool): Change =>
  deferred(async () => {
    const pool = { user, php }
    const pools = [pool, ...(await listOtherPools(host, pool))]
    return inOrder(
      ...pools.map((one) => removePool(host, one)),
      removeInstance(host, user),
      closeSocket(host, user),
    )
  })

export const removeSlice = (host: Host, user: string): Change => ({
  effects: () => effects.removalsOf(host, 'file', slicePathOf(user)),
  apply: () =>
    servicesOf(host).units(async () => {
      // The slice stays active without its file, which a failed start has already removed.
      await stopSlice(host, user)
      if (!(await host.files.stat(slicePathOf(user)))) return
      await removeGenerated(host, slicePathOf(user))
      await servicesOf(host).reread()
    }, undefined),
})

/** Stops the pool, also at the next boot. */
export async function stopAndDisable(host: Host, pool: Pool): Promise<void> {
  const service = fpmService(pool)
  const sign = formOf(host, { systemd: unitPathOf(pool), direct: service.pid_file })
  if (await host.files.stat(sign)) await servicesOf(host).stop(service)
  await host.files.remove(wantsPathOf(pool))
}
