import process from 'node:process'

/** The effective user and group, as files are opened and sockets are connected with them. */
export interface EffectiveIds {
  user(uid: number): void
  group(gid: number): void
}

export const ofProcess: EffectiveIds = {
  user: (uid) => process.seteuid?.(uid),
  group: (gid) => process.setegid?.(gid),
}

/** Of setresuid(2) and setresgid(2). */
const CALLS: Record<string, readonly [user: number, group: number]> = {
  x64: [117, 119],
  arm64: [147, 149],
}
const LIBRARIES = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1']
const KEEP = -1

/**
 * Those of the calling thread alone, by the system calls themselves: all files are read on one thread.
 * The functions of libc send every other thread a signal and wait until each has done the same
 * (nptl(7)), which was nearly half of a scan's time. Undefined where that is not possible.
 */
export function ofThread(): EffectiveIds | undefined {
  const [user, group] = CALLS[process.arch] ?? []
  const call = systemCall()
  if (!call || user === undefined || group === undefined) return undefined
  return {
    user: (uid) => call(user, KEEP, uid, KEEP),
    group: (gid) => call(group, KEEP, gid, KEEP),
  }
}

type Call = (...args: readonly [number: number, real: number, id: number, saved: number]) => void

/** Of Bun; other runtimes go without it. */
interface Ffi {
  dlopen(path: string, functions: object): { symbols: { syscall: Call } }
}

const FUNCTIONS = { syscall: { args: ['i64', 'i64', 'i64', 'i64'], returns: 'i64' } }

function systemCall(): Call | undefined {
  const found = process.getBuiltinModule?.('bun:ffi')
  if (!found || !('dlopen' in found)) return undefined
  const { dlopen } = found as Ffi
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, FUNCTIONS).symbols.syscall
    } catch {
      // The other libc, or the other machine.
    }
  }
  return undefined
}
