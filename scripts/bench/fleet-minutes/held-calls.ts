import { request } from 'node:https'
import process, { argv } from 'node:process'
import { connect } from 'node:tls'
import { hostnameOf } from '../sync/addresses.ts'
import { KNOWN } from '../sync/answers.ts'

/**
 * Prints the KB of private memory of one held call to an agent: WAY is `https` or `tls` for the modules
 * of Node, and `bun` for the sockets of Bun. Run as `held-calls.ts WAY PORT COUNT`.
 */
const [way = '', port = 0, count = 0] = [argv[2], Number(argv[3]), Number(argv[4])]
const path = `/changes?${new URLSearchParams({ since: KNOWN, wait: '50' })}`
const tls = { rejectUnauthorized: false }
const text = `GET ${path} HTTP/1.1\r\nhost: agent\r\n\r\n`

const WAYS: Record<string, (host: string) => Promise<unknown>> = {
  https: (host) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const call = request({ host, port, path, agent: false, ...tls })
    call.on('finish', resolve).on('error', reject).end()
    return promise
  },
  tls: (host) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const socket = connect({ host, port, ...tls }, () => socket.write(text, () => resolve()))
    socket.on('error', reject)
    return promise
  },
  bun: async (hostname) => {
    const socket = { open: (it: Bun.Socket) => void it.write(text), data() {} }
    await Bun.connect({ hostname, port, tls, socket })
  },
}

/** Returns the private memory in KB, after a collection. */
async function privateKB(): Promise<number> {
  Bun.gc(true)
  const rollup = await Bun.file(`/proc/${process.pid}/smaps_rollup`).text()
  const found = [...rollup.matchAll(/^Private_\w+: +(\d+) kB$/gm)]
  return found.reduce((sum, [, kB]) => sum + Number(kB), 0)
}

const hold = WAYS[way]
if (!hold) throw new Error(`${way} is not one of ${Object.keys(WAYS).join(', ')}`)
// What the first ones need belongs to the program.
for (let place = 0; place < 50; place++) await hold(hostnameOf(place + 1))
await Bun.sleep(1000)
const before = await privateKB()
for (let place = 0; place < count; place++) await hold(hostnameOf(place + 51))
await Bun.sleep(2000)
console.log(((await privateKB()) - before) / count)
process.exit(0)
