import { join } from 'node:path'
import type { Host } from '#tests/support/lab/host.ts'
import { must, poll } from '#tests/support/lab/index.ts'

const PROGRAM = '/usr/local/bin/cloudflare'
const STATE = '/var/log/cloudflare.json'
const LOSSES = '/var/log/cloudflare-losses'
const PORT = 8787

interface Options {
  folder: string
  token: string
  zone: string
  /** The management of the name server of the authority. */
  names_url: string
}

/** Starts Cloudflare's API on a server of the lab, at its own 127.0.0.1. */
export async function startOnHost(host: Host, { folder, token, zone, names_url }: Options) {
  const file = join(folder, 'cloudflare')
  await must(['bun', 'build', '--compile', `--outfile=${file}`, 'tests/support/cloudflare/main.ts'])
  await host.put(PROGRAM, await Bun.file(file).bytes(), 0o755)
  const options = { token, zone, names_url, state: STATE, losses: LOSSES, port: String(PORT) }
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  await host.must(['systemd-run', '--unit=cloudflare', PROGRAM, ...args])
  const state = async () =>
    JSON.parse(await host.must(['cat', STATE])) as {
      records: { type: string; name: string; content: string }[]
      calls: string[]
    }
  await poll(async () => (await host.exec(['test', '-s', STATE])).code === 0)
  /** The method whose next answer is lost. */
  const lose = async (method: string) => {
    await host.must(['sh', '-c', 'echo "$1" > "$2"', 'sh', method, LOSSES])
    await Bun.sleep(500)
  }
  return { api: `http://127.0.0.1:${PORT}/client/v4`, state, lose }
}
