import { watch } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { startCloudflare } from './server.ts'

/**
 * Cloudflare's API as a program on a server of the lab, whose TXT records reach the name server of
 * its authority. `state`: the records, after each call. `losses`: the methods whose next answer is
 * lost, one each line.
 */
const { values } = parseArgs({
  options: {
    token: { type: 'string', default: '' },
    zone: { type: 'string', default: '' },
    port: { type: 'string', default: '0' },
    names_url: { type: 'string', default: '' },
    state: { type: 'string', default: '' },
    losses: { type: 'string', default: '' },
  },
})

const cloudflare = startCloudflare({
  token: values.token,
  zones: [values.zone],
  port: Number(values.port),
  async publish(action, name, value) {
    const body = JSON.stringify({ host: `${name}.`, ...(action === 'set' && { value }) })
    await fetch(`${values.names_url}/${action}-txt`, { method: 'POST', body })
    await store()
  },
})

async function store(): Promise<void> {
  const { records, calls } = cloudflare
  await writeFile(values.state, JSON.stringify({ records, calls }))
}

async function readLosses(): Promise<void> {
  cloudflare.losses.clear()
  for (const method of (await readFile(values.losses, 'utf8')).split('\n'))
    if (method !== '') cloudflare.losses.add(method)
}

await writeFile(values.losses, '')
watch(values.losses, () => void readLosses())
await store()
process.stdout.write(`listening at ${cloudflare.api}\n`)
