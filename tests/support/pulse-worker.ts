import { get as getPlain, Agent as PlainAgent } from 'node:http'
import { Agent, get as getSecure } from 'node:https'

/** The thread of a Pulse: requests `/health` every few milliseconds until it is stopped. */
const EVERY_MS = 2
const ONE = { keepAlive: true, maxSockets: 1 }
const agents = {
  plain: new PlainAgent(ONE),
  secure: new Agent({ ...ONE, rejectUnauthorized: false }),
}
const times_ms: number[] = []
let failures = 0
let isStopped = false

async function beat(url: string): Promise<void> {
  while (!isStopped) {
    const start = performance.now()
    const text = await textOf(url).catch(() => '')
    if (text === '{"status":"ok"}') times_ms.push(performance.now() - start)
    else failures += 1
    await Bun.sleep(EVERY_MS)
  }
  postMessage({ times_ms, failures })
}

function textOf(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https:')
      ? getSecure(url, { agent: agents.secure })
      : getPlain(url, { agent: agents.plain })
    request.on('error', reject)
    request.on('response', async (response) => {
      const chunks = await Array.fromAsync<Buffer>(response).catch(() => [])
      resolve(Buffer.concat(chunks).toString())
    })
  })
}

self.onmessage = ({ data }: MessageEvent<string>) => {
  if (data === 'stop') isStopped = true
  else void beat(`${data}/health`)
}
