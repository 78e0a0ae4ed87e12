import { readFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { digestOf } from '#dashboard/kernel/runtime/digest.ts'
import { ROOT } from '#dashboard/kernel/runtime/program-paths.ts'
import { buildName, MACHINES, machineOf } from '#shared/kernel/machines.ts'

const FOLDER = join(ROOT, 'dist')

export interface Build {
  machine: string
  path: string
  /** The digest of the uncompressed executable, in hexadecimal. */
  sha256: string
  /** The compressed form, if `build-agent.ts --all` has created it. */
  gzip?: { path: string; bytes: number } | undefined
  /** The signed manifest, if scripts/sign-build.ts has created it. */
  release?: { manifest: string; signature: string } | undefined
}

const digests = new Map<string, { mtime: number; sha256: string }>()
let ownMachine: string | undefined

export async function listBuilds(folder = FOLDER): Promise<Build[]> {
  const found = await Promise.all(MACHINES.map((machine) => findBuild(machine, folder)))
  return found.filter((build) => build !== undefined)
}

export async function findBuild(machine: string, folder = FOLDER): Promise<Build | undefined> {
  if (!(MACHINES as readonly string[]).includes(machine)) return undefined
  ownMachine ??= machineOf(process.arch, readFileSync('/proc/self/maps', 'utf8'))
  const path = join(folder, buildName(machine, ownMachine))
  const there = await stat(path).catch(() => undefined)
  if (!there) return undefined
  const gzip = await compressedOf(path, there.mtime)
  const sha256 = await cachedDigest(path, there.mtimeMs)
  return { machine, path, sha256, gzip, release: await releaseOf(path, sha256) }
}

/** Returns the compressed file; one with another time is of a replaced executable. */
async function compressedOf(path: string, mtime: Date): Promise<Build['gzip']> {
  const there = await stat(`${path}.gz`).catch(() => undefined)
  if (there?.mtime.getTime() !== mtime.getTime()) return undefined
  return { path: `${path}.gz`, bytes: there.size }
}

/** Returns the signed manifest; undefined for a rebuilt executable without a new signature. */
async function releaseOf(path: string, sha256: string): Promise<Build['release']> {
  const [manifest, signature] = await Promise.all(
    ['manifest.json', 'manifest.json.sig'].map((end) =>
      readFile(`${path}.${end}`, 'utf8').catch(() => undefined),
    ),
  )
  if (manifest === undefined || signature === undefined) return undefined
  return manifest.includes(sha256) ? { manifest, signature: signature.trim() } : undefined
}

async function cachedDigest(path: string, mtime: number): Promise<string> {
  const known = digests.get(path)
  if (known?.mtime === mtime) return known.sha256
  const sha256 = await digestOf(path)
  digests.set(path, { mtime, sha256 })
  return sha256
}
