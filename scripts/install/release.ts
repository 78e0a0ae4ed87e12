import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, readlink, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { draftIn } from '#scripts/lib/draft.ts'
import { lastCommitOf } from '#scripts/lib/last-commit.ts'
import { buildAll } from './build.ts'
import type { Machine } from './machine.ts'
import type { Settings } from './options.ts'
import { CACHE, CURRENT, RELEASE_KEY, RELEASES, SETTINGS } from './paths.ts'

/** The parts of a release. */
const SOURCES = ['agent', 'dashboard', 'shared', 'scripts']
const FILES = ['package.json', 'bun.lock', 'bunfig.toml', 'tsconfig.json', 'LICENSE']

export interface Release {
  /** `<version>-<digest>`: the same sources and options give the same release. */
  id: string
  folder: string
}

/**
 * The release of a checkout, in a separate folder that belongs to root and gets its name only when
 * it is complete. An existing one is not built again. The running release is not changed.
 */
export async function makeRelease(
  machine: Machine,
  root: string,
  settings: Settings,
): Promise<Release> {
  const known = await releaseOf(root, settings)
  if (existsSync(known.folder)) {
    machine.log(`Release ${known.id} exists already`)
    return known
  }
  machine.log('Building the release: this takes a minute')
  await machine.folder(RELEASES)
  await machine.folder(CACHE)
  await machine.folder(SETTINGS)
  if (machine.dry) {
    machine.log(
      '  would install the packages of bun.lock, and build the dashboard, its pages and the agents',
    )
    return known
  }
  await removeDrafts()
  await using draft = await draftIn(RELEASES)
  const { path } = draft
  await machine.run(['chmod', '755', path])
  await machine.run(['cp', '--recursive', ...(await entriesOf(root)), path], { cwd: root })
  await machine.run(['chmod', '-R', 'u=rwX,go=rX', path])
  await machine.run(['chown', '-R', 'root:root', path])
  await buildAll(machine, path, settings, await buildNumber(root))
  // The key of a first installation is an input of the agents' build.
  const made = await releaseOf(root, settings)
  await machine.run(['sync', '--file-system', path])
  await rename(path, made.folder)
  return made
}

/** Releases to keep: the running one, and the two before it, newest first. */
export async function removeOldReleases(machine: Machine): Promise<void> {
  const current = await readlink(CURRENT).catch(() => '')
  const names = await readdir(RELEASES).catch(() => [])
  const dated = await Promise.all(
    names
      .filter((name) => !name.startsWith('.') && name !== basename(current))
      .map(async (name) => ({ name, time: (await stat(join(RELEASES, name))).mtimeMs })),
  )
  const old = dated.sort((one, other) => other.time - one.time).slice(2)
  for (const { name } of old) await machine.run(['rm', '-rf', join(RELEASES, name)])
}

async function removeDrafts(): Promise<void> {
  for (const name of await readdir(RELEASES))
    if (name.startsWith('.draft-')) await rm(join(RELEASES, name), { recursive: true, force: true })
}

async function entriesOf(root: string): Promise<string[]> {
  return [...SOURCES, ...FILES].filter((name) => existsSync(join(root, name)))
}

async function releaseOf(root: string, { machines }: Settings): Promise<Release> {
  const hash = createHash('sha256')
  const key = await readFile(`${RELEASE_KEY}.pub`, 'utf8').catch(() => '')
  hash.update(JSON.stringify([Bun.revision, machines, key, await buildNumber(root)]))
  for (const path of await sourcesOf(root))
    hash.update(`\0${path}\0`).update(await readFile(join(root, path)))
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const id = `${version}-${hash.digest('hex').slice(0, 12)}`
  return { id, folder: join(RELEASES, id) }
}

async function sourcesOf(root: string): Promise<string[]> {
  const glob = new Bun.Glob(`{${SOURCES.join(',')}}/**/*`)
  const found = await Array.fromAsync(glob.scan({ cwd: root, dot: true }))
  return [...FILES.filter((name) => existsSync(join(root, name))), ...found.sort()]
}

/**
 * The time of the last commit of the agent; without git, of the newest source: an archive keeps the
 * time of its commit.
 */
async function buildNumber(root: string): Promise<number> {
  const committed = await lastCommitOf(root)
  if (committed !== undefined) return committed
  const times = (await sourcesOf(root)).map((path) => stat(join(root, path)))
  const newest = Math.max(...(await Promise.all(times)).map(({ mtimeMs }) => mtimeMs))
  return Math.floor(newest / 1000)
}
