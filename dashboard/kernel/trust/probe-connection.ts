import { dlopen, FFIType, ptr, read } from 'bun:ffi'
import { randomBytes } from 'node:crypto'
import type { LookupAddress } from 'node:dns'
import { connect, isIP } from 'node:net'
import { reachCodeOf, unreachable } from '#dashboard/kernel/agents/agent-errors.ts'
import type { Protocol } from '#dashboard/kernel/agents/transport.ts'
import { ipv6Groups } from '#dashboard/kernel/runtime/ipv6.ts'
import { lookupHost } from '#dashboard/kernel/runtime/lookup.ts'
import type { ServiceError } from '#shared/kernel/errors.ts'
import type { ReachCode } from '#shared/servers/api/enrolment.ts'
import { type AddressRules, checkedLookup, checkLiteral } from './addresses.ts'

interface ProbeOptions {
  /** The protocol in which its agent must answer, too: a proxy, or a hung agent, does not. */
  speaks?: Protocol | undefined
  timeout_ms?: number
  answer_ms?: number
}

/** The time limits of one connection, and of the answer to the first message. */
const TIMEOUT_MS = 3_000
const ANSWER_MS = 5_000
const MAX_ADDRESSES = 4

/**
 * Opens a connection to a server and closes it again, without a handshake of TLS: it costs a hundredth of
 * a request. Returns why that failed; undefined when it worked. Bun reports each failure of a connection
 * as refused, so the kernel is asked itself.
 */
export async function findObstacle(
  to: { hostname: string; port: number },
  rules: AddressRules,
  { speaks, timeout_ms = TIMEOUT_MS, answer_ms = ANSWER_MS }: ProbeOptions = {},
): Promise<ServiceError | undefined> {
  try {
    checkLiteral(to.hostname, rules)
    const found = (await addressesOf(to.hostname, rules)).slice(0, MAX_ADDRESSES)
    const how = { timeout_ms, answer_ms, greeting: speaks && GREETINGS[speaks] }
    const tries = found.map((each) => tryConnect(each, to.port, how))
    await (tries.length === 1 ? tries[0] : Promise.any(tries).catch(() => tries[0]))
    return undefined
  } catch (error) {
    return unreachable(to, error)
  }
}

/** Returns why no connection can be opened; undefined when one can, or it is not known. */
export async function connectionProblem(
  address: string,
  port: number,
  timeout_ms = TIMEOUT_MS,
): Promise<ReachCode | undefined> {
  try {
    const how = { timeout_ms, answer_ms: ANSWER_MS, greeting: undefined }
    await tryConnect({ address, family: isIP(address) }, port, how)
    return undefined
  } catch (error) {
    return reachCodeOf(error)
  }
}

function addressesOf(hostname: string, rules: AddressRules): Promise<LookupAddress[]> {
  const family = isIP(hostname)
  if (family !== 0) return Promise.resolve([{ address: hostname, family }])
  if (!rules.production) return lookupHost(hostname)
  return new Promise((resolve, reject) => {
    checkedLookup(rules)(hostname, {}, (error, found) => (error ? reject(error) : resolve(found)))
  })
}

/** The constants of the headers of Linux, the same on x86-64 and ARM64. */
const FAMILY = { 4: 2, 6: 10 } as const
const STREAM = 1 | 0x800 | 0x80000
const SOCKET_ERROR = [1, 4] as const
const POLL_IN = 1
const POLL_OUT = 4
const NO_SIGNAL = 0x4000
const EINPROGRESS = 115
const CODES: Record<number, string> = {
  99: 'ENETUNREACH',
  101: 'ENETUNREACH',
  104: 'ECONNRESET',
  110: 'ETIMEDOUT',
  111: 'ECONNREFUSED',
  113: 'EHOSTUNREACH',
}
/** The first pause between two looks at a socket, each of which wakes the process up. */
const FIRST_PAUSE_MS = 1
const PAUSE_FACTOR = 4
const MAX_PAUSE_MS = 1_000

const openLibc = () =>
  dlopen('libc.so.6', {
    socket: { args: [FFIType.i32, FFIType.i32, FFIType.i32], returns: FFIType.i32 },
    connect: { args: [FFIType.i32, FFIType.ptr, FFIType.u32], returns: FFIType.i32 },
    poll: { args: [FFIType.ptr, FFIType.u64, FFIType.i32], returns: FFIType.i32 },
    getsockopt: {
      args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.ptr],
      returns: FFIType.i32,
    },
    send: { args: [FFIType.i32, FFIType.ptr, FFIType.u64, FFIType.i32], returns: FFIType.i64 },
    recv: { args: [FFIType.i32, FFIType.ptr, FFIType.u64, FFIType.i32], returns: FFIType.i64 },
    close: { args: [FFIType.i32], returns: FFIType.i32 },
    __errno_location: { args: [], returns: FFIType.ptr },
  }).symbols
type Libc = ReturnType<typeof openLibc>
let libc: Libc | null | undefined

/** Returns the functions of glibc; null where there is no glibc. */
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

interface Greeting {
  message: Uint8Array
  answers: readonly number[]
}

interface ProbeLimits {
  timeout_ms: number
  answer_ms: number
  greeting: Greeting | undefined
}

/** Opens a connection. Rejects with the code of the system error. */
async function tryConnect(to: LookupAddress, port: number, how: ProbeLimits): Promise<void> {
  const system = knownLibc()
  if (!system) return connectByBun(to.address, port, how)
  const family = to.family === 6 ? 6 : 4
  const socket = system.socket(FAMILY[family], STREAM, 0)
  if (socket < 0) return connectByBun(to.address, port, how)
  try {
    const name = socketAddress(to.address, family, port)
    const result = system.connect(socket, ptr(name), name.length)
    const code = result === 0 ? 0 : errnoOf(system)
    const final = code === EINPROGRESS ? await outcomeOf(system, socket, how.timeout_ms) : code
    if (final !== 0) throw failure(CODES[final] ?? 'ECONNRESET')
    if (how.greeting) await exchange(system, socket, how.greeting, how.answer_ms)
  } finally {
    system.close(socket)
  }
}

function errnoOf(system: Libc): number {
  const place = system.__errno_location()
  return place === null ? 0 : read.i32(place)
}

/** Returns the error of a connection that is being opened, 0 when it is open. */
async function outcomeOf(system: Libc, socket: number, timeout_ms: number): Promise<number> {
  await ready(system, [socket, POLL_OUT], timeout_ms)
  const error = new Int32Array([0])
  const size = new Uint32Array([4])
  const [level, option] = SOCKET_ERROR
  system.getsockopt(socket, level, option, ptr(error), ptr(size))
  return error[0] ?? 0
}

/** Sends the greeting. Resolves with the first byte of an answer. */
async function exchange(
  system: Libc,
  socket: number,
  { message, answers }: Greeting,
  answer_ms: number,
): Promise<void> {
  system.send(socket, ptr(message), message.length, NO_SIGNAL)
  await ready(system, [socket, POLL_IN], answer_ms)
  const byte = new Uint8Array(1)
  const count = Number(system.recv(socket, ptr(byte), byte.length, 0))
  if (count < 1 || !answers.includes(byte[0] ?? 0)) throw failure('ECONNRESET')
}

/** Waits until the socket can do what is awaited, or has failed. */
async function ready(
  system: Libc,
  [socket, events]: readonly [number, number],
  timeout_ms: number,
): Promise<void> {
  const waiting = new Int32Array([socket, events])
  const end = performance.now() + timeout_ms
  let pause = FIRST_PAUSE_MS
  for (let left = timeout_ms; left > 0; left = end - performance.now()) {
    await Bun.sleep(Math.min(pause, left))
    if (system.poll(ptr(waiting), 1, 0) !== 0) return
    pause = Math.min(PAUSE_FACTOR * pause, MAX_PAUSE_MS)
  }
  throw failure('ETIMEDOUT')
}

function socketAddress(address: string, family: 4 | 6, port: number): Uint8Array {
  const bytes = new Uint8Array(family === 4 ? 16 : 28)
  const view = new DataView(bytes.buffer)
  view.setUint16(0, FAMILY[family], true)
  view.setUint16(2, port)
  if (family === 4) bytes.set(address.split('.').map(Number), 4)
  else bytes.set(bytesOfIpv6(address), 8)
  return bytes
}

const bytesOfIpv6 = (address: string): number[] =>
  ipv6Groups(address.replace(/%.*$/, '')).flatMap((group) => [group >> 8, group & 0xff])

function connectByBun(
  host: string,
  port: number,
  { timeout_ms, answer_ms, greeting }: ProbeLimits,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port })
    socket.setTimeout(timeout_ms, () => socket.destroy(failure('ETIMEDOUT')))
    const done = () => {
      resolve()
      socket.destroy()
    }
    socket.once('error', reject)
    socket.once('close', () => reject(failure('ECONNRESET')))
    socket.once('connect', () => {
      if (!greeting) return done()
      socket.setTimeout(answer_ms)
      socket.once('data', (bytes: Buffer) =>
        greeting.answers.includes(bytes[0] ?? 0) ? done() : socket.destroy(),
      )
      socket.write(greeting.message)
    })
  })
}

/** Returns the bytes after their number in two bytes. */
const lengthPrefixed = (bytes: readonly number[]) => [
  bytes.length >> 8,
  bytes.length & 255,
  ...bytes,
]

/** Returns the first message of TLS 1.3 (RFC 8446 4.1.2), with a key that nobody has. */
function clientHello(): Uint8Array {
  const extension = (type: number, bytes: readonly number[]) => [0, type, ...lengthPrefixed(bytes)]
  const key = lengthPrefixed([...randomBytes(32)])
  const extensions = [
    ...extension(43, [2, 3, 4]),
    ...extension(10, lengthPrefixed([0, 29])),
    ...extension(13, lengthPrefixed([8, 7, 4, 3, 5, 3, 8, 4, 8, 5, 8, 6])),
    ...extension(51, lengthPrefixed([0, 29, ...key])),
  ]
  const suites = lengthPrefixed([19, 1, 19, 2, 19, 3])
  const hello = [3, 3, ...randomBytes(32), 0, ...suites, 1, 0, ...lengthPrefixed(extensions)]
  return Uint8Array.from([22, 3, 1, ...lengthPrefixed([1, 0, ...lengthPrefixed(hello)])])
}

const ALERT = 21
const HANDSHAKE = 22
const GREETINGS: Record<Protocol, Greeting> = {
  tls: { message: clientHello(), answers: [ALERT, HANDSHAKE] },
  http: {
    message: Buffer.from('GET /health HTTP/1.1\r\nHost: agent\r\nConnection: close\r\n\r\n'),
    answers: [...Buffer.from('H')],
  },
}
