import { basename } from 'node:path'
import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { type Opened, type Restic, tryRestic } from './restic.ts'
import type { Store, StoredFile } from './store.ts'

const Lock = z.object({ exclusive: z.boolean(), hostname: z.string(), pid: z.int().positive() })
/** Real repositories have a lock or two: a server that adds thousands is not worth the time. */
const MAX_LOCKS = 20
/** The kernel cuts the name of a program: proc_pid_comm(5). */
const MAX_COMM = 15

/**
 * Takes out what a killed run of this keeper has left: an exclusive lock of this machine whose restic
 * has ended. No server makes an exclusive lock, and each of them would wait for this one in vain.
 */
export async function removeOwnLocks(
  { host, restic }: { host: Host; restic: Restic },
  store: Store,
  opened: Opened,
  files: readonly StoredFile[],
): Promise<void> {
  const locks = files.filter(({ folder }) => folder === 'locks').slice(0, MAX_LOCKS)
  if (locks.length === 0) return
  const hostname = (await host.files.read('/proc/sys/kernel/hostname'))?.trim()
  const name = basename(restic.program).slice(0, MAX_COMM)
  for (const file of locks) {
    const args = ['cat', 'lock', file.name, '--no-lock']
    const { code, stdout } = await tryRestic(host, restic, opened, args)
    const lock = code === 0 ? parseJson(Lock, stdout) : undefined
    if (!lock?.exclusive || lock.hostname !== hostname) continue
    const running = await host.files.read(`/proc/${lock.pid}/comm`)
    if (running === undefined || (!running.startsWith('restic') && running.trim() !== name))
      await store.takeOut(opened.name, file)
  }
}
