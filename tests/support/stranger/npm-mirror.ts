import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheFolder } from '#scripts/lib/cache.ts'
import { run, type Switch } from '#tests/support/lab/index.ts'
import { startInside } from '#tests/support/system/inside.ts'

const RELAY = fileURLToPath(new URL('./tcp-relay.mjs', import.meta.url))
const PORT = 4873

/**
 * The npm registry for hosts without another network, at the switch's address. It loads requested
 * packages from this machine's registry and keeps archives, which never change.
 */
export async function startNpmMirror({ netns, address, folder }: Switch) {
  const url = `http://${address}:${PORT}`
  const source = await registry()
  const kept = join(await cacheFolder(), 'npm')
  const socket = join(folder, 'npm.sock')
  const server = Bun.serve({
    unix: socket,
    fetch: (request) => answer(new URL(request.url).pathname, { url, source, kept }),
  })
  const argv = [process.execPath, RELAY, address, String(PORT), socket]
  const relay = await startInside(netns, argv, /^ready$/)
  return {
    url,
    async stop() {
      await relay.stop('SIGKILL')
      await server.stop(true)
    },
  }
}

async function registry(): Promise<string> {
  const named = process.env.npm_config_registry
  if (named) return named.replace(/\/$/, '')
  const asked = Bun.which('npm') ? await run(['npm', 'config', 'get', 'registry']) : undefined
  const found = asked?.stdout.trim() || 'https://registry.npmjs.org'
  return found.replace(/\/$/, '')
}

interface Mirror {
  url: string
  source: string
  kept: string
}

async function answer(path: string, { url, source, kept }: Mirror): Promise<Response> {
  if (!path.endsWith('.tgz')) {
    const response = await fetch(`${source}${path}`)
    const text = await response.text()
    const { status } = response
    return new Response(text.replaceAll(source, url), {
      status,
      headers: { 'content-type': 'application/json' },
    })
  }
  const file = join(kept, path)
  if (!existsSync(file)) {
    const response = await fetch(`${source}${path}`)
    if (!response.ok) return new Response(null, { status: response.status })
    await mkdir(dirname(file), { recursive: true })
    const draft = `${file}.${crypto.randomUUID()}`
    await Bun.write(draft, response)
    await rename(draft, file)
  }
  return new Response(Bun.file(file))
}
