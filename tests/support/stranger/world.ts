import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheFolder } from '#scripts/lib/cache.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { startAcme } from '#tests/support/acme/index.ts'
import * as lab from '#tests/support/lab/index.ts'
import { must, run, type Switch } from '#tests/support/lab/index.ts'
import { startInside } from '#tests/support/system/inside.ts'
import { panelPackages } from './packages.ts'

const PUBLISHED = ['agent', 'dashboard', 'shared', 'scripts', 'README.md', 'LICENSE']
const SETTINGS = ['package.json', 'bun.lock', 'bunfig.toml', 'tsconfig.json']
const AUTHOR = ['-c', 'user.name=Lab', '-c', 'user.email=lab@example.test']

/** A repository of these sources, to clone and pull. */
async function makeRepository() {
  const folder = await mkdtemp(join(tmpdir(), 'repository-'))
  const git = (...args: string[]) => must(['git', '-C', folder, ...AUTHOR, ...args])
  for (const name of [...PUBLISHED, ...SETTINGS])
    await cp(name, join(folder, name), { recursive: true })
  await git('init', '-q', '-b', 'main')
  const commit = async (words: string) => {
    await git('add', '--all')
    await git('commit', '-q', '-m', words)
  }
  await commit('First version')
  return {
    folder,
    /** Publishes the next version. */
    async publish(version: string): Promise<void> {
      const file = join(folder, 'package.json')
      const manifest = JSON.parse(await readFile(file, 'utf8'))
      await writeFile(file, `${JSON.stringify({ ...manifest, version }, null, 2)}\n`)
      await commit(`Version ${version}`)
    },
    /** Publishes a dashboard that migrates its records and then ends. */
    async publishBroken(): Promise<void> {
      const migrations = join(folder, 'dashboard/kernel/db/migrations')
      const journal = join(migrations, 'meta/_journal.json')
      const { entries, ...rest } = JSON.parse(await readFile(journal, 'utf8'))
      const added = { ...entries.at(-1), idx: entries.length, when: Date.now(), tag: '0999_new' }
      await writeFile(join(migrations, '0999_new.sql'), 'CREATE TABLE `new` (`id` integer);\n')
      await writeFile(journal, JSON.stringify({ ...rest, entries: [...entries, added] }))
      const file = join(folder, 'dashboard/start.ts')
      const source = await readFile(file, 'utf8')
      const point = '  deps.pulses.start()\n'
      if (!source.includes(point)) throw new Error(`${file} has no line to break`)
      const broken = source.replace(point, `  throw new Error('broken on purpose')\n${point}`)
      await writeFile(file, broken)
      await commit('A version that does not start')
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

const RELAY = fileURLToPath(new URL('./tcp-relay.mjs', import.meta.url))
const PORT = 4873

/**
 * The npm registry for hosts without another network, at the switch's address. It loads requested
 * packages from this machine's registry and keeps archives, which never change.
 */
async function startNpmMirror({ netns, address, folder }: Switch) {
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

const MORE = '/srv/more-debs'
const MIRROR = '/srv/mirror'
const REPOSITORY = '/srv/hosting-control.git'
const ROOT_OF_AUTHORITY = '/root/authority.pem'

export const NAMES = {
  dashboard: 'control.example.com',
  server: 'web-1.example.com',
  site: 'shop.example.com',
} as const

/**
 * Two empty Debian hosts and their internet: names, a certificate authority, package sources, an
 * npm registry, this repository and a mirror of WordPress.
 */
export type World = Awaited<ReturnType<typeof startWorld>>

export async function startWorld() {
  const [more, mirror, repository, network] = await Promise.all([
    panelPackages(),
    wordpressMirror(),
    makeRepository(),
    lab.switchUp(),
  ])
  const acme = await startAcme()
  const npm = await startNpmMirror(network)
  const issuing = await acme.issuing_root()
  const trust = async (host: lab.Host) => {
    await host.put('/usr/local/share/ca-certificates/authority.crt', acme.ca_pem)
    await host.put('/usr/local/share/ca-certificates/issuing.crt', issuing)
    await host.must(['update-ca-certificates'])
  }
  /** A machine for the dashboard, to which its name leads from then on. */
  const startPanel = async (name: string) => {
    const host = await lab.startHost({
      name,
      suite: 'bookworm',
      init: 'systemd',
      binds: [
        { from: more, to: MORE, readonly: true },
        { from: repository.folder, to: REPOSITORY, readonly: true },
      ],
    })
    await host.put('/etc/apt/sources.list.d/more.list', `deb [trusted=yes] file:${MORE} ./\n`)
    await trust(host)
    await acme.resolve(NAMES.dashboard, host.address)
    return host
  }
  const panel = await startPanel('panel')
  const server = await lab.startHost({
    name: 'web-1',
    suite: 'trixie',
    init: 'systemd',
    binds: [{ from: mirror, to: MIRROR, readonly: true }],
  })
  await trust(server)
  await server.put(ROOT_OF_AUTHORITY, acme.ca_pem)
  await acme.resolve(NAMES.server, server.address)
  await acme.resolve(NAMES.site, server.address)
  return {
    panel,
    server,
    startPanel,
    repository,
    /** The guide's placeholder values. */
    values: {
      'address of this repository': REPOSITORY,
      'folder with latest.tar.gz': `file://${MIRROR}`,
      'address of wp-cli.phar': `file://${MIRROR}/wp-cli.phar`,
      'directory of your authority': acme.directory_url,
      'file with its root': ROOT_OF_AUTHORITY,
    } as Record<string, string>,
    /** Settings of an administrator of a host without internet. */
    environment: {
      npm_config_registry: npm.url,
      INSTALL_ACME_DIRECTORY: acme.directory_url,
      INSTALL_MACHINES: `linux-${process.arch}`,
      HOME: '/root',
    },
    async stop() {
      await npm.stop()
      await acme.stop()
      await lab.switchDown()
      await repository.remove()
    },
  }
}
