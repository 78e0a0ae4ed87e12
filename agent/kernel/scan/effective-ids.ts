import process from 'node:process'

/** The effective user and group, which the kernel checks for files and sockets. */
export interface EffectiveIds {
  user(uid: number): void
  group(gid: number): void
}

export const processIds: EffectiveIds = {
  user: (uid) => process.seteuid?.(uid),
  group: (gid) => process.setegid?.(gid),
}

/** The arguments of setresuid(2) and setresgid(2). */
const CALLS: Record<string, readonly [user: number, group: number]> = {
  x64: [117, 119],
  arm64: [147, 149],
}
const LIBRARIES = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1']
const KEEP = -1

/**
 * Sets the ids of the calling thread only, by direct system calls: one thread reads all files. The
 * functions of libc signal every other thread and wait until each has changed its ids (nptl(7)),
 * which was nearly half of a scan's time. Returns undefined if that is not possible.
 */
export function threadIds(): EffectiveIds | undefined {
  const [user, group] = CALLS[process.arch] ?? []
  const call = systemCall()
  if (!call || user === undefined || group === undefined) return undefined
  return {
    user: (uid) => call(user, KEEP, uid, KEEP),
    group: (gid) => call(group, KEEP, gid, KEEP),
  }
}

type SystemCall = (
  ...args: readonly [number: number, real: number, id: number, saved: number]
) => void

/** The FFI of Bun; other runtimes have none. */
interface Ffi {
  dlopen(path: string, functions: object): { symbols: { syscall: SystemCall } }
}

const FUNCTIONS = { syscall: { args: ['i64', 'i64', 'i64', 'i64'], returns: 'i64' } }

function systemCall(): SystemCall | undefined {
  const found = process.getBuiltinModule?.('bun:ffi')
  if (!found || !('dlopen' in found)) return undefined
  const { dlopen } = found as Ffi
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, FUNCTIONS).symbols.syscall
    } catch {
      // Try the other libc, or the other architecture.
    }
  }
  return undefined
}
