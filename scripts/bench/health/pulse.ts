import { get as getPlain, Agent as PlainAgent } from 'node:http'
import { Agent, get as getSecure } from 'node:https'

/**
 * A thread that requests `/health` every few milliseconds over a keep-alive connection, like a
 * dashboard; the attackers' thread does not delay it.
 */
const EVERY_MS = 2
const ONE = { keepAlive: true, maxSockets: 1 }
const agents = {
  plain: new PlainAgent(ONE),
  secure: new Agent({ ...ONE, rejectUnauthorized: false }),
}
const times_ms: number[] = []
let failures = 0
let stopped = false

async function ask(url: string): Promise<void> {
  while (!stopped) {
    const begun = performance.now()
    const text = await textOf(url).catch(() => '')
    if (text === '{"status":"ok"}') times_ms.push(performance.now() - begun)
    else failures += 1
    await Bun.sleep(EVERY_MS)
  }
  postMessage({ times_ms, failures })
}

function textOf(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = url.startsWith('https:')
      ? getSecure(url, { agent: agents.secure })
      : getPlain(url, { agent: agents.plain })
    asked.on('error', reject)
    asked.on('response', async (response) => {
      const chunks = await Array.fromAsync<Buffer>(response).catch(() => [])
      resolve(Buffer.concat(chunks).toString())
    })
  })
}

self.onmessage = ({ data }: MessageEvent<string>) => {
  if (data === 'stop') stopped = true
  else void ask(`${data}/health`)
}
