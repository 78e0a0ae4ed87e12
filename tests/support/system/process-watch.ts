import { dlopen, FFIType, ptr } from 'bun:ffi'
import { readdirSync, readFileSync, readlinkSync, statSync, writeSync } from 'node:fs'
import process from 'node:process'

/**
 * Looks for texts in the arguments and the environment of the processes of a PID namespace: of those
 * that run now, and of each program when the kernel reports that it was started. Prints
 * `<file of /proc>:<text>` for each. The texts are the lines of a file, which is read again when it
 * was changed. Runs as root, until it is killed or its parent has ended.
 */
const [namespace = '', file = ''] = process.argv.slice(2)

const { i32, u64, ptr: pointer } = FFIType
const libc = dlopen('libc.so.6', {
  socket: { args: [i32, i32, i32], returns: i32 },
  setsockopt: { args: [i32, i32, i32, pointer, i32], returns: i32 },
  bind: { args: [i32, pointer, i32], returns: i32 },
  send: { args: [i32, pointer, u64, i32], returns: i32 },
  recv: { args: [i32, pointer, u64, i32], returns: i32 },
  getppid: { args: [], returns: i32 },
}).symbols

/** The constants of the connector that reports processes (linux/cn_proc.h). */
const AF_NETLINK = 16
const SOCK_DGRAM = 2
const NETLINK_CONNECTOR = 11
const SOL_SOCKET = 1
const SO_RCVTIMEO = 20
const SO_RCVBUFFORCE = 33
const CN_IDX_PROC = 1
const CN_VAL_PROC = 1
const PROC_CN_MCAST_LISTEN = 1
const PROC_EVENT_EXEC = 2
/** The places in a message: after the header of netlink (16 bytes) and of the connector (20). */
const KIND = 36
const PID = 52
const BUFFER_BYTES = 8 << 20
const TIMEOUT_S = 1

const parent = libc.getppid()
const socket = listen()
const message = Buffer.alloc(4096)
let texts: string[] = []
let read_ms = 0

writeSync(1, 'ready\n')
lookAtAll()
while (libc.getppid() === parent) {
  const length = libc.recv(socket, ptr(message), message.length, 0)
  // Nothing was started for a second, or more than the buffer takes.
  if (length < 0) lookAtAll()
  else if (message.readUInt32LE(KIND) === PROC_EVENT_EXEC) lookAt(message.readUInt32LE(PID))
}

function listen(): number {
  const opened = libc.socket(AF_NETLINK, SOCK_DGRAM, NETLINK_CONNECTOR)
  const size = Buffer.alloc(4)
  size.writeUInt32LE(BUFFER_BYTES)
  libc.setsockopt(opened, SOL_SOCKET, SO_RCVBUFFORCE, ptr(size), size.length)
  const timeout = Buffer.alloc(16)
  timeout.writeBigUInt64LE(BigInt(TIMEOUT_S))
  libc.setsockopt(opened, SOL_SOCKET, SO_RCVTIMEO, ptr(timeout), timeout.length)
  const address = Buffer.alloc(12)
  address.writeUInt16LE(AF_NETLINK, 0)
  address.writeUInt32LE(CN_IDX_PROC, 8)
  const request = Buffer.alloc(40)
  request.writeUInt32LE(request.length, 0)
  request.writeUInt32LE(CN_IDX_PROC, 16)
  request.writeUInt32LE(CN_VAL_PROC, 20)
  request.writeUInt16LE(4, 32)
  request.writeUInt32LE(PROC_CN_MCAST_LISTEN, 36)
  const listens =
    libc.bind(opened, ptr(address), address.length) === 0 &&
    libc.send(opened, ptr(request), request.length, 0) === request.length
  if (!listens) throw new Error('The kernel does not report the processes of this machine')
  return opened
}

function lookAtAll(): void {
  for (const name of readdirSync('/proc')) if (/^\d+$/.test(name)) lookAt(Number(name))
}

function lookAt(pid: number): void {
  try {
    if (readlinkSync(`/proc/${pid}/ns/pid`) !== namespace) return
    readTexts()
    for (const path of [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`]) {
      const content = readFileSync(path, 'latin1')
      const found = texts.filter((text) => content.includes(text))
      for (const text of found) writeSync(1, `${path}:${text}\n`)
    }
  } catch {
    // It has ended.
  }
}

function readTexts(): void {
  const { mtimeMs } = statSync(file)
  if (mtimeMs === read_ms) return
  texts = readFileSync(file, 'latin1').split('\n').filter(Boolean)
  read_ms = mtimeMs
}
