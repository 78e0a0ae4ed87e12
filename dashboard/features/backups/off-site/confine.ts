import { dlopen, FFIType, ptr } from 'bun:ffi'
import { closeSync, openSync, statSync } from 'node:fs'
import { z } from 'zod'

/** The existing files that a program may use, and the ports to which it may connect. */
export const Allowed = z.object({
  /** Files that it may execute: itself, the loader of its libraries, and what it starts. */
  runs: z.array(z.string()),
  reads: z.array(z.string()),
  writes: z.array(z.string()),
  ports: z.array(z.number()),
  max_data: z.number(),
})
export type Allowed = z.infer<typeof Allowed>

/** The rights of landlock(7) and linux/landlock.h. */
const FS_RIGHTS = { EXECUTE: 1, WRITE: 2, READ: 4, READ_DIR: 8, ALL_OF_1: 0x1fff }
/** The rights of later versions of the interface: links between folders, truncation, devices. */
const LATER_FS_RIGHTS = [
  [2, 1 << 13],
  [3, 1 << 14],
  [5, 1 << 15],
] as const
const OF_FILES = FS_RIGHTS.EXECUTE | FS_RIGHTS.WRITE | FS_RIGHTS.READ | (1 << 14) | (1 << 15)
const NET = { BIND: 1, CONNECT: 2 }
/** The scopes that are closed: abstract sockets, and signals to other programs. */
const SCOPES = 3
const RULE = { PATH: 1, PORT: 2 }
const CALL = { CREATE: 444, ADD: 445, RESTRICT: 446, CLOSE_RANGE: 436 }
const CLOSE_AT_EXEC = 4
const NO_NEW_PRIVILEGES = 38
const LIMIT = { DATA: 2, CORE: 4 }
const O_PATH = 0x200000

const NONE =
  'This machine cannot confine restic, so the records are not saved: its kernel has no Landlock. It needs Linux 5.13 or later, with landlock in the list of the kernel parameter lsm='

const open = () =>
  dlopen('libc.so.6', {
    syscall: {
      args: [FFIType.i64, FFIType.u64, FFIType.u64, FFIType.u64, FFIType.u64],
      returns: FFIType.i64,
    },
    prctl: {
      args: [FFIType.i32, FFIType.u64, FFIType.u64, FFIType.u64, FFIType.u64],
      returns: FFIType.i32,
    },
    setrlimit: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
    execve: { args: [FFIType.ptr, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 },
  }).symbols
type Libc = ReturnType<typeof open>

/**
 * Becomes another program that can execute, read and change nothing but what is allowed, whatever it
 * receives. The kernel enforces it (Landlock), without any privilege, and nothing can undo it.
 * Throws if the kernel cannot.
 */
export function becomeConfined(allowed: Allowed, argv: readonly string[]): never {
  const libc = open()
  confine(libc, allowed)
  setLimit(libc, LIMIT.DATA, allowed.max_data)
  setLimit(libc, LIMIT.CORE, 0)
  // Files that this process has open are no way around it.
  libc.syscall(CALL.CLOSE_RANGE, 3, 0xffffffff, CLOSE_AT_EXEC, 0)
  const [program = ''] = argv
  const variables = Object.entries(process.env).map(([name, value]) => `${name}=${value}`)
  const [file, words, env] = [textOf(program), listOf(argv), listOf(variables)]
  libc.execve(ptr(file), ptr(words.addresses), ptr(env.addresses))
  throw new Error(`${program} cannot be started`)
}

function confine(libc: Libc, { runs, reads, writes, ports }: Allowed): void {
  const version = Number(libc.syscall(CALL.CREATE, 0, 0, 1, 0))
  if (version < 1) throw new Error(NONE)
  const all = LATER_FS_RIGHTS.reduce(
    (sum, [since, bit]) => (version >= since ? sum | bit : sum),
    FS_RIGHTS.ALL_OF_1,
  )
  const hasPorts = version >= 4
  const fields = [
    all,
    ...(hasPorts ? [NET.BIND | NET.CONNECT] : []),
    ...(version >= 6 ? [SCOPES] : []),
  ]
  const attributes = BigUint64Array.from(fields.map(BigInt))
  const ruleset = Number(libc.syscall(CALL.CREATE, ptr(attributes), attributes.byteLength, 0, 0))
  if (ruleset < 0) throw new Error(NONE)
  for (const path of runs) allowPath(libc, ruleset, path, FS_RIGHTS.EXECUTE | FS_RIGHTS.READ)
  for (const path of reads) allowPath(libc, ruleset, path, FS_RIGHTS.READ | FS_RIGHTS.READ_DIR)
  for (const path of writes) allowPath(libc, ruleset, path, all & ~FS_RIGHTS.EXECUTE)
  for (const port of hasPorts ? ports : []) {
    const rule = BigUint64Array.from([BigInt(NET.CONNECT), BigInt(port)])
    check(libc.syscall(CALL.ADD, ruleset, RULE.PORT, ptr(rule), 0), `port ${port}`)
  }
  check(BigInt(libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)), 'no_new_privs')
  check(libc.syscall(CALL.RESTRICT, ruleset, 0, 0, 0), 'landlock_restrict_self')
}

/** Allows rights on a file, or on everything below a folder; a file has only those of files. */
function allowPath(libc: Libc, ruleset: number, path: string, rights: number): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return
  const file = openSync(path, O_PATH)
  const rule = Buffer.alloc(12)
  rule.writeBigUInt64LE(BigInt(found.isDirectory() ? rights : rights & OF_FILES), 0)
  rule.writeInt32LE(file, 8)
  check(libc.syscall(CALL.ADD, ruleset, RULE.PATH, ptr(rule), 0), path)
  closeSync(file)
}

function setLimit(libc: Libc, resource: number, bytes: number): void {
  const both = BigUint64Array.from([BigInt(bytes), BigInt(bytes)])
  check(BigInt(libc.setrlimit(resource, ptr(both))), 'setrlimit')
}

function check(result: number | bigint, what: string): void {
  if (Number(result) !== 0) throw new Error(`restic cannot be confined: ${what}`)
}

const textOf = (text: string) => Buffer.from(`${text}\0`)

/** Makes an array of strings as C has it; the texts must live as long as their addresses. */
function listOf(strings: readonly string[]) {
  const texts = strings.map(textOf)
  return { texts, addresses: BigUint64Array.from([...texts.map((text) => BigInt(ptr(text))), 0n]) }
}
