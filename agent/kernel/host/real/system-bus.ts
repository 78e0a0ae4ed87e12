import { connect, type Socket } from 'node:net'
import process from 'node:process'

const BUS = '/run/dbus/system_bus_socket'
const TIMEOUT_MS = 10_000
/** Types of messages and codes of header fields: the D-Bus specification, "Message Protocol". */
const TYPE = { CALL: 1, RETURN: 2, ERROR: 3 }
const FIELD = { PATH: 1, INTERFACE: 2, MEMBER: 3, DESTINATION: 6, SIGNATURE: 8 }

interface BusCall {
  destination: string
  path: string
  interface: string
  member: string
  /** The values: strings and Booleans. */
  values: readonly (string | boolean)[]
}

/** Calls a method on the system bus without any program; throws the message of an error. */
export async function callOnBus(call: BusCall): Promise<void> {
  const socket = connect(BUS)
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('the system bus did not answer')))
  try {
    const read = reading(socket)
    const uid = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex')
    socket.write(`\0AUTH EXTERNAL ${uid}\r\n`)
    const line = (await read((bytes) => bytes.indexOf('\n') + 1)).toString()
    if (!line.startsWith('OK ')) throw new Error(`the system bus answered ${line.trim()}`)
    socket.write('BEGIN\r\n')
    socket.write(messageOf(1, HELLO))
    await answered(read)
    socket.write(messageOf(2, call))
    await answered(read)
  } finally {
    socket.destroy()
  }
}

const NAME = 'org.freedesktop.DBus'
const HELLO = {
  destination: NAME,
  path: '/org/freedesktop/DBus',
  interface: NAME,
  member: 'Hello',
  values: [],
}

type ReadMessage = (sizeOf: (bytes: Buffer) => number) => Promise<Buffer>

/** Reads as many bytes as the function requests, which returns 0 until it knows. */
function reading(socket: Socket): ReadMessage {
  let bytes = Buffer.alloc(0)
  const chunks = socket[Symbol.asyncIterator]()
  return async (sizeOf) => {
    for (;;) {
      const size = sizeOf(bytes)
      if (size > 0 && bytes.length >= size) {
        const part = bytes.subarray(0, size)
        bytes = bytes.subarray(size)
        return part
      }
      const { value, done } = await chunks.next()
      if (done) throw new Error('the system bus closed the connection')
      bytes = Buffer.concat([bytes, value])
    }
  }
}

const FIXED = 16
const aligned = (size: number, to: number) => Math.ceil(size / to) * to
const bodyAt = (bytes: Buffer) => aligned(FIXED + bytes.readUInt32LE(12), 8)
const sizeOf = (bytes: Buffer) => (bytes.length < FIXED ? 0 : bodyAt(bytes) + bytes.readUInt32LE(4))

/** Reads the answer to the only call that waits, and skips signals. */
async function answered(read: ReadMessage): Promise<void> {
  for (;;) {
    const message = await read(sizeOf)
    if (message[1] === TYPE.RETURN) return
    if (message[1] !== TYPE.ERROR) continue
    const body = message.subarray(bodyAt(message))
    const text = body.length > 4 ? body.subarray(4, 4 + body.readUInt32LE(0)) : 'no reason'
    throw new Error(`the system bus refused the call: ${text}`)
  }
}

function messageOf(serial: number, { values, ...call }: BusCall): Buffer {
  const body = new Writer()
  for (const value of values) {
    if (typeof value === 'string') body.string(value)
    else body.number(value ? 1 : 0)
  }
  const signature = values.map((value) => (typeof value === 'string' ? 's' : 'b')).join('')
  const fields = new Writer()
  fields.field(FIELD.PATH, 'o', call.path)
  fields.field(FIELD.INTERFACE, 's', call.interface)
  fields.field(FIELD.MEMBER, 's', call.member)
  fields.field(FIELD.DESTINATION, 's', call.destination)
  if (signature !== '') fields.field(FIELD.SIGNATURE, 'g', signature)
  const head = new Writer()
  head.bytes(Buffer.from(['l'.charCodeAt(0), TYPE.CALL, 0, 1]))
  head.number(body.size)
  head.number(serial)
  head.number(fields.size)
  head.bytes(fields.all)
  head.align(8)
  return Buffer.concat([head.all, body.all])
}

/** Writes values in the byte order and with the alignment of the protocol from a multiple of 8. */
class Writer {
  #all = Buffer.alloc(0)

  get all(): Buffer {
    return this.#all
  }
  get size(): number {
    return this.#all.length
  }
  bytes(bytes: Buffer): void {
    this.#all = Buffer.concat([this.#all, bytes])
  }
  align(to: number): void {
    this.bytes(Buffer.alloc(aligned(this.size, to) - this.size))
  }
  number(value: number): void {
    this.align(4)
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(value)
    this.bytes(bytes)
  }
  string(text: string): void {
    this.number(Buffer.byteLength(text))
    this.bytes(Buffer.from(`${text}\0`))
  }
  /** Writes a field of the header: its code, and a variant with a signature of one letter. */
  field(code: number, type: 'o' | 's' | 'g', text: string): void {
    this.align(8)
    this.bytes(Buffer.from([code, 1, type.charCodeAt(0), 0]))
    if (type === 'g')
      this.bytes(Buffer.from([Buffer.byteLength(text), ...Buffer.from(`${text}\0`)]))
    else this.string(text)
  }
}
