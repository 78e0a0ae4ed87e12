import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'

/** Where scripts/build-agent.ts leaves what it built. */
const FOLDER = fileURLToPath(new URL('../../dist/', import.meta.url))

/** `uname -m` and libc of a server, and the file that runs there. The first is this machine's own. */
const FILES: Record<string, string> = {
  'linux-x64': 'hosting-agent',
  'linux-arm64': 'hosting-agent-linux-arm64',
  'linux-x64-musl': 'hosting-agent-linux-x64-musl',
  'linux-arm64-musl': 'hosting-agent-linux-arm64-musl',
}

export interface Build {
  machine: string
  path: string
  /** Hexadecimal, of the executable and not of its compressed form. */
  sha256: string
}

const digests = new Map<string, { mtime: number; sha256: string }>()

/** The agents that this dashboard can give away. */
export async function listBuilds(): Promise<Build[]> {
  const found = await Promise.all(Object.keys(FILES).map(findBuild))
  return found.filter((build) => build !== undefined)
}

export async function findBuild(machine: string): Promise<Build | undefined> {
  const name = Object.hasOwn(FILES, machine) ? FILES[machine] : undefined
  const path = `${FOLDER}${name}`
  const there = name === undefined ? undefined : await stat(path).catch(() => undefined)
  return there && { machine, path, sha256: await digestOf(path, there.mtimeMs) }
}

async function digestOf(path: string, mtime: number): Promise<string> {
  const known = digests.get(path)
  if (known?.mtime === mtime) return known.sha256
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  const sha256 = hash.digest('hex')
  digests.set(path, { mtime, sha256 })
  return sha256
}
