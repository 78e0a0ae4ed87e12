import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** The number of loopback addresses of strangers. */
const ADDRESSES = 40
const HEAD = 'POST /enrol HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n'
/** The first bytes of a TLS record that announces a ClientHello of 512 bytes. */
const HALF_HELLO = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc])

type Open = (port: number, localAddress: string) => Socket
const host = '127.0.0.1'

/** Connections of a stranger that never end. */
const KINDS: readonly Open[] = [
  (port, localAddress) => connect({ host, port, localAddress }),
  (port, localAddress) => {
    const socket = connect({ host, port, localAddress }, () => socket.write(HALF_HELLO))
    return socket
  },
  (port, localAddress) => slowly(port, localAddress, HEAD),
  (port, localAddress) => slowly(port, localAddress, `${HEAD}\r\n${'x'.repeat(16_000)}`),
]

function slowly(port: number, localAddress: string, text: string): Socket {
  const options = { host, port, localAddress, rejectUnauthorized: false }
  const socket = connectTls(options, () => socket.write(text))
  return socket
}

export interface Strangers {
  /** The number of open connections. */
  open(): number
  /** The number of attempts. */
  tried(): number
  stop(): void
}

/** Keeps `count` connections open on the port of an agent: a closed one is replaced. */
export function strangersAt(url: string, count: number): Strangers {
  const port = Number(new URL(url).port)
  const sockets = new Set<Socket>()
  let tried = 0
  let over = false
  const begin = (index: number) => {
    if (over) return
    tried += 1
    const kind = KINDS[index % KINDS.length] ?? connectTo
    const socket = kind(port, `127.0.1.${1 + (index % ADDRESSES)}`)
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
      setTimeout(begin, 500, index)
    })
  }
  for (let index = 0; index < count; index += 1) begin(index)
  return {
    open: () => sockets.size,
    tried: () => tried,
    stop() {
      over = true
      for (const socket of sockets) socket.destroy()
    },
  }
}

const connectTo: Open = (port, localAddress) => connect({ host, port, localAddress })
