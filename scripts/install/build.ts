import { existsSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { draftIn } from '#scripts/lib/draft.ts'
import { fetchArchive } from '#scripts/lib/npm-archive.ts'
import { buildName } from '#shared/machines.ts'
import type { Machine } from './machine.ts'
import type { Settings } from './options.ts'
import { BUILDER, CACHE, CURRENT, RELEASE_KEY } from './paths.ts'

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
export async function buildAll(
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

/** The Bun of other machines, checked against the digests in this repository. */
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
