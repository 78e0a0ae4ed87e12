import { createHash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { buildName, MACHINES, machineOf } from '#shared/machines.ts'

/** Where scripts/build-agent.ts leaves what it built. */
const FOLDER = fileURLToPath(new URL('../../dist', import.meta.url))

export interface Build {
  machine: string
  path: string
  /** Hexadecimal, of the executable and not of its compressed form. */
  sha256: string
  /** Its compressed form, when `build-agent.ts --all` has left it beside it. */
  gzip?: { path: string; bytes: number } | undefined
  /** What the publisher has signed of it, when scripts/sign-build.ts has left it beside it. */
  release?: { manifest: string; signature: string } | undefined
}

const digests = new Map<string, { mtime: number; sha256: string }>()
let own: string | undefined

/** The agents that this dashboard can give away. */
export async function listBuilds(folder = FOLDER): Promise<Build[]> {
  const found = await Promise.all(MACHINES.map((machine) => findBuild(machine, folder)))
  return found.filter((build) => build !== undefined)
}

export async function findBuild(machine: string, folder = FOLDER): Promise<Build | undefined> {
  if (!(MACHINES as readonly string[]).includes(machine)) return undefined
  own ??= machineOf(process.arch, readFileSync('/proc/self/maps', 'utf8'))
  const path = join(folder, buildName(machine, own))
  const there = await stat(path).catch(() => undefined)
  if (!there) return undefined
  const gzip = await compressedOf(path, there.mtime)
  const sha256 = await digestOf(path, there.mtimeMs)
  return { machine, path, sha256, gzip, release: await releaseOf(path, sha256) }
}

/** One with another time was made of an executable that is no longer there. */
async function compressedOf(path: string, mtime: Date): Promise<Build['gzip']> {
  const there = await stat(`${path}.gz`).catch(() => undefined)
  if (there?.mtime.getTime() !== mtime.getTime()) return undefined
  return { path: `${path}.gz`, bytes: there.size }
}

/** None for an executable that was rebuilt and not signed again. */
async function releaseOf(path: string, sha256: string): Promise<Build['release']> {
  const [manifest, signature] = await Promise.all(
    ['manifest.json', 'manifest.json.sig'].map((end) =>
      readFile(`${path}.${end}`, 'utf8').catch(() => undefined),
    ),
  )
  if (manifest === undefined || signature === undefined) return undefined
  return manifest.includes(sha256) ? { manifest, signature: signature.trim() } : undefined
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
