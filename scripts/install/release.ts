import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, readlink, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { draftIn } from '#scripts/lib/draft.ts'
import { fetchArchive } from '#scripts/lib/npm-archive.ts'
import { lastCommitOf } from '#scripts/lib/release.ts'
import { buildName } from '#shared/kernel/machines.ts'
import type { Machine } from './machine.ts'
import type { Settings } from './options.ts'
import { BUILDER, CACHE, CURRENT, RELEASE_KEY, RELEASES, SETTINGS } from './paths.ts'

/** The parts of a release. */
const SOURCES = ['agent', 'dashboard', 'shared', 'scripts']
const FILES = ['package.json', 'bun.lock', 'bunfig.toml', 'tsconfig.json', 'LICENSE']

export interface Release {
  /** `<version>-<digest>`: the same sources and options give the same release. */
  id: string
  folder: string
}

/**
 * Makes the release of a checkout, in a separate folder that belongs to root and gets its name only
 * when it is complete. An existing one is not built again. The running release is not changed.
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

/** Removes all releases but those to keep: the running one, and the two before it, newest first. */
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
 * Returns the time of the last commit of the agent; without git, of the newest source: an archive
 * keeps the time of its commit.
 */
async function buildNumber(root: string): Promise<number> {
  const committed = await lastCommitOf(root)
  if (committed !== undefined) return committed
  const times = (await sourcesOf(root)).map((path) => stat(join(root, path)))
  const newest = Math.max(...(await Promise.all(times)).map(({ mtimeMs }) => mtimeMs))
  return Math.floor(newest / 1000)
}

/** Bun's names of processors and C libraries in its packages. */
const PACKAGES: Record<string, string> = {
  'linux-x64': 'bun-linux-x64',
  'linux-arm64': 'bun-linux-aarch64',
  'linux-x64-musl': 'bun-linux-x64-musl',
  'linux-arm64-musl': 'bun-linux-aarch64-musl',
}

/**
 * Builds packages, dashboard, pages and agents of a release in `draft`. Root downloads and unpacks,
 * and runs no code of a package; a user with write access to `dist/` only runs the builds.
 */
async function buildAll(
  machine: Machine,
  draft: string,
  settings: Settings,
  build: number,
): Promise<void> {
  const bun = process.execPath
  const cache = { BUN_INSTALL_CACHE_DIR: `${CACHE}/packages` }
  machine.log('  installing the packages of bun.lock')
  await machine.run([bun, 'install', '--frozen-lockfile', '--production', '--ignore-scripts'], {
    cwd: draft,
    env: cache,
  })
  await machine.run([bun, 'scripts/release-key.ts', 'ensure', RELEASE_KEY], { cwd: draft })
  const executables = await fetchExecutables(machine, settings.machines)
  const dist = join(draft, 'dist')
  await mkdir(dist)
  await takeOver(machine, dist)
  await machine.run(['chown', '-R', `${BUILDER}:${BUILDER}`, dist])
  machine.log('  building the dashboard and its pages')
  await asBuilder(machine, draft, ['scripts/build-dashboard.ts'])
  await asBuilder(machine, draft, ['scripts/build-web.ts'])
  machine.log(`  building the agents: ${settings.machines.join(', ')}`)
  await asBuilder(machine, draft, [
    'scripts/build-agent.ts',
    ...settings.machines.flatMap((name) => ['--machine', name]),
    ...['--executables', executables],
    ...['--publisher-key', `${RELEASE_KEY}.pub`],
    ...['--build', `${build}`],
  ])
  await rm(join(dist, '.builder'), { recursive: true, force: true })
  await machine.run(['chown', '-R', 'root:root', dist])
  await machine.run(['chmod', '-R', 'u=rwX,go=rX', dist])
  if (!existsSync(RELEASE_KEY)) {
    machine.log(`  ${RELEASE_KEY} is not on this server: sign the agents of this release with it`)
    return
  }
  await machine.run([bun, 'scripts/sign-build.ts', '--key', RELEASE_KEY, dist], { cwd: draft })
}

/** Copies the running release's builds of unchanged sources. */
async function takeOver(machine: Machine, dist: string): Promise<void> {
  const before = `${CURRENT}/dist`
  if (existsSync(before)) await machine.run(['cp', '--archive', `${before}/.`, dist])
}

async function asBuilder(machine: Machine, cwd: string, argv: string[]): Promise<void> {
  const home = join(cwd, 'dist/.builder')
  const as = ['setpriv', `--reuid=${BUILDER}`, `--regid=${BUILDER}`, '--clear-groups']
  const env = ['env', '-i', 'PATH=/usr/local/bin:/usr/bin:/bin', `HOME=${home}`, `TMPDIR=${home}`]
  const prefix = [...as, '--no-new-privs', ...env]
  await machine.run([...prefix, 'mkdir', '-p', home], { cwd })
  await machine.run([...prefix, process.execPath, ...argv], { cwd })
}

/** Downloads the Bun of other machines, checked against the digests in this repository. */
async function fetchExecutables(machine: Machine, machines: readonly string[]): Promise<string> {
  const pinned = (await readFile('scripts/lib/bun.sha512', 'utf8')).trim().split('\n')
  const [version = ''] = pinned
  const folder = `${CACHE}/bun-${version}`
  for (const name of machines) {
    const file = join(folder, name)
    if (existsSync(file) || buildName(name, ownMachine()) === 'hosting-agent') continue
    machine.log(`  downloading Bun ${version} for ${name}`)
    const line = pinned.find((each) => each.startsWith(`${PACKAGES[name]} `)) ?? ''
    const integrity = `sha512-${line.split(' ')[1]}`
    await using draft = await draftIn(folder)
    const pinned_package = { name: `@oven/${PACKAGES[name]}`, version, integrity }
    const archive = await fetchArchive(pinned_package, draft.path)
    const unpack = ['tar', '-xzf', archive, '-C', draft.path, '--no-same-owner']
    await machine.run([...unpack, '--strip-components=2', 'package/bin/bun'])
    await machine.run(['mv', join(draft.path, 'bun'), file])
  }
  return folder
}

const ownMachine = () => `linux-${process.arch}`
