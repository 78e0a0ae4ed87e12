import { dlopen, FFIType, ptr, read } from 'bun:ffi'
import { type LookupAddress, lookup } from 'node:dns'
import { connect, isIP } from 'node:net'
import { reachCodeOf, unreachable } from '#dashboard/agents/answer.ts'
import type { ReachCode } from '#shared/api/enrolment.ts'
import type { ServiceError } from '#shared/errors.ts'
import { type AddressRules, checkedLookup, checkLiteral } from './addresses.ts'

interface Target {
  hostname: string
  port: number
}

/** How long one connection may take. */
const TIMEOUT_MS = 3_000
const MAX_ADDRESSES = 4

/**
 * Opens a connection to a server and closes it again, without TLS: it costs a hundredth of a request.
 * Returns why that failed; undefined when it worked. Bun reports each failure of a connection as
 * refused, so the kernel is asked itself.
 */
export async function findObstacle(
  to: Target,
  rules: AddressRules,
  timeout_ms = TIMEOUT_MS,
): Promise<ServiceError | undefined> {
  try {
    checkLiteral(to.hostname, rules)
    const found = (await addressesOf(to.hostname, rules)).slice(0, MAX_ADDRESSES)
    const tries = found.map((each) => tryConnect(each, to.port, timeout_ms))
    await Promise.any(tries).catch(() => tries[0])
    return undefined
  } catch (error) {
    return unreachable(to, error)
  }
}

/** Why no connection to an address can be opened; undefined: one can, or the reason is not known. */
export async function connectionProblem(
  address: string,
  port: number,
  timeout_ms = TIMEOUT_MS,
): Promise<ReachCode | undefined> {
  try {
    await tryConnect({ address, family: isIP(address) }, port, timeout_ms)
    return undefined
  } catch (error) {
    return reachCodeOf(error)
  }
}

function addressesOf(hostname: string, rules: AddressRules): Promise<LookupAddress[]> {
  const family = isIP(hostname)
  if (family !== 0) return Promise.resolve([{ address: hostname, family }])
  return new Promise((resolve, reject) => {
    const find = rules.production ? checkedLookup(rules) : plainLookup
    find(hostname, {}, (error, found) => (error ? reject(error) : resolve(found)))
  })
}

const plainLookup: ReturnType<typeof checkedLookup> = (hostname, _, callback) => {
  lookup(hostname, { all: true }, (error, found) => callback(error, found))
}

/** From the headers of Linux, the same on x86-64 and ARM64. */
const FAMILY = { 4: 2, 6: 10 } as const
const STREAM = 1 | 0x800 | 0x80000
const SOCKET_ERROR = [1, 4] as const
const POLL_OUT = 4
const EINPROGRESS = 115
const CODES: Record<number, string> = {
  99: 'ENETUNREACH',
  101: 'ENETUNREACH',
  104: 'ECONNRESET',
  110: 'ETIMEDOUT',
  111: 'ECONNREFUSED',
  113: 'EHOSTUNREACH',
}
const FIRST_PAUSE_MS = 1
const MAX_PAUSE_MS = 250

const openLibc = () =>
  dlopen('libc.so.6', {
    socket: { args: [FFIType.i32, FFIType.i32, FFIType.i32], returns: FFIType.i32 },
    connect: { args: [FFIType.i32, FFIType.ptr, FFIType.u32], returns: FFIType.i32 },
    poll: { args: [FFIType.ptr, FFIType.u64, FFIType.i32], returns: FFIType.i32 },
    getsockopt: {
      args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.ptr],
      returns: FFIType.i32,
    },
    close: { args: [FFIType.i32], returns: FFIType.i32 },
    __errno_location: { args: [], returns: FFIType.ptr },
  }).symbols
type Libc = ReturnType<typeof openLibc>
let libc: Libc | null | undefined

/** Null where there is no glibc. */
function knownLibc(): Libc | null {
  if (libc !== undefined) return libc
  try {
    libc = openLibc()
  } catch {
    libc = null
  }
  return libc
}

const failure = (code: string) => Object.assign(new Error('not connected'), { code })

/** Rejects with the code of the system error. */
async function tryConnect(to: LookupAddress, port: number, timeout_ms: number): Promise<void> {
  const system = knownLibc()
  if (!system) return connectByBun(to.address, port, timeout_ms)
  const family = to.family === 6 ? 6 : 4
  const socket = system.socket(FAMILY[family], STREAM, 0)
  if (socket < 0) return connectByBun(to.address, port, timeout_ms)
  try {
    const name = socketAddress(to.address, family, port)
    const result = system.connect(socket, ptr(name), name.length)
    const code = result === 0 ? 0 : errnoOf(system)
    const final = code === EINPROGRESS ? await outcomeOf(system, socket, timeout_ms) : code
    if (final !== 0) throw failure(CODES[final] ?? 'ECONNRESET')
  } finally {
    system.close(socket)
  }
}

function errnoOf(system: Libc): number {
  const place = system.__errno_location()
  return place === null ? 0 : read.i32(place)
}

/** The error of a connection that is being opened, 0 when it is open. */
async function outcomeOf(system: Libc, socket: number, timeout_ms: number): Promise<number> {
  const waiting = new Int32Array([socket, POLL_OUT])
  const end = performance.now() + timeout_ms
  for (
    let pause = FIRST_PAUSE_MS;
    performance.now() < end;
    pause = Math.min(2 * pause, MAX_PAUSE_MS)
  ) {
    await Bun.sleep(pause)
    if (system.poll(ptr(waiting), 1, 0) === 0) continue
    const error = new Int32Array([0])
    const size = new Uint32Array([4])
    const [level, option] = SOCKET_ERROR
    system.getsockopt(socket, level, option, ptr(error), ptr(size))
    return error[0] ?? 0
  }
  throw failure('ETIMEDOUT')
}

/** A `sockaddr_in` or `sockaddr_in6`. */
function socketAddress(address: string, family: 4 | 6, port: number): Uint8Array {
  const bytes = new Uint8Array(family === 4 ? 16 : 28)
  const view = new DataView(bytes.buffer)
  view.setUint16(0, FAMILY[family], true)
  view.setUint16(2, port)
  if (family === 4) bytes.set(address.split('.').map(Number), 4)
  else bytes.set(bytesOfIpv6(address), 8)
  return bytes
}

function bytesOfIpv6(address: string): number[] {
  const groups = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1)
  const [head = '', tail] = groups.split('::')
  const wordsOf = (text: string) =>
    text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16))
  const [first, last] = [wordsOf(head), wordsOf(tail ?? '')]
  const between = Array.from({ length: 8 - first.length - last.length }, () => 0)
  return [...first, ...between, ...last].flatMap((word) => [word >> 8, word & 0xff])
}

function connectByBun(host: string, port: number, timeout_ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port })
    socket.setTimeout(timeout_ms, () => socket.destroy(failure('ETIMEDOUT')))
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.destroy()
      resolve()
    })
  })
}
