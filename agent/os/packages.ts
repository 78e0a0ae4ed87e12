import { invalid } from '#shared/errors.ts'
import type { Effect } from '#shared/plan.ts'
import type { Progress } from '../commands/command.ts'
import type { Host } from '../host/ports.ts'
import * as effects from './effects.ts'

const EXTENSIONS = ['mysql', 'curl', 'gd', 'xml', 'mbstring', 'zip', 'intl', 'bcmath']
const BASE = ['nginx', 'mariadb-server', 'mariadb-client', 'cron', 'logrotate', 'ca-certificates']
const APT = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Dpkg::Options::=--force-confold']
const INSTALL = ['install', '-y', '-q', '--no-install-recommends']
/** apt keeps what it has read of its lists; a look at them must leave nothing behind. */
const READ_ONLY = [
  ...['-o', 'Dir::Cache::pkgcache=', '-o', 'Dir::Cache::srcpkgcache='],
  ...['-o', 'Debug::NoLocking=true'],
]
const OPTIONS = { env: { DEBIAN_FRONTEND: 'noninteractive' }, unconfined: true, lasting: true }

/** VERSION_ID of a Debian that the agent knows → the PHP version that it ships. */
const SHIPPED: Record<string, string> = { '12': '8.2', '13': '8.4' }

/** The PHP version that this Debian ships. Throws for any other distribution. */
export async function shippedPhp({ files }: Host): Promise<string> {
  const text = (await files.read('/etc/os-release')) ?? ''
  const field = (name: string) => new RegExp(`^${name}="?([^"\n]*)"?$`, 'm').exec(text)?.[1] ?? ''
  const php = field('ID') === 'debian' ? SHIPPED[field('VERSION_ID')] : undefined
  if (php !== undefined) return php
  const found = field('PRETTY_NAME') || 'an unknown system'
  throw new Error(`This server runs ${found}: use Debian 12 or Debian 13`)
}

/** Versions whose PHP-FPM is installed, oldest first. */
export async function installedPhp({ files }: Host): Promise<string[]> {
  const programs = await files.list('/usr/sbin')
  return programs.flatMap(({ name }) => /^php-fpm(\d\.\d)$/.exec(name)?.[1] ?? []).sort()
}

/** The packages of these PHP versions and of everything else that dpkg has not installed. */
export async function missingPackages({ files }: Host, php: readonly string[]): Promise<string[]> {
  const status = (await files.read('/var/lib/dpkg/status', 64 << 20)) ?? ''
  const installed = new Set(
    [...status.matchAll(/^Package: (\S+)\nStatus: \S+ ok installed$/gm)].map(([, name]) => name),
  )
  const wanted = php.flatMap((version) =>
    ['fpm', 'cli', ...EXTENSIONS].map((part) => `php${version}-${part}`),
  )
  return [...BASE, ...wanted].filter((name) => !installed.has(name))
}

/**
 * Throws invalid on `field` for a PHP version that no repository has, naming those that they have.
 * Without package lists nobody knows yet.
 */
export async function refuseUnknownPackages(
  host: Host,
  packages: readonly string[],
  field: string,
): Promise<void> {
  const known = await knownPhp(host)
  if (known.length > 0) refuseUnknownPhp(known, packages, field)
}

/** What `install` would do, as apt says it; what comes with them is known once apt has its lists. */
export async function installing(host: Host, packages: readonly string[]): Promise<Effect[]> {
  const argv = ['apt-get', ...READ_ONLY, '--simulate', ...INSTALL, ...packages]
  const { code, stdout } = await host.shell.try(argv)
  const found = [...stdout.matchAll(/^(Inst|Remv) (\S+)( \[)?/gm)]
  if (code === 0 && found.length > 0) {
    return found.map(([, verb, name = '', former]) => {
      if (verb === 'Remv') return effects.remove('package', name)
      return former ? effects.change('package', name) : effects.create('package', name)
    })
  }
  return [
    effects.run('program', 'apt-get update'),
    ...packages.map((name) => effects.create('package', name)),
  ]
}

/**
 * Installs packages from the repositories that this server knows, one apt at a time.
 * Throws invalid on `field` for a PHP version that none of them has, naming those that they have.
 */
export async function* install(
  host: Host,
  packages: readonly string[],
  field: string,
): Progress<void> {
  const release = await taken(host, 'apt')
  try {
    if ((await knownPhp(host)).length === 0) yield* update(host)
    refuseUnknownPhp(await knownPhp(host), packages, field)
    await repair(host)
    yield* installOnce(host, packages)
  } catch (error) {
    await repair(host.steady ?? host)
    throw error
  } finally {
    release()
  }
}

/** What dpkg was cut off in the middle of: until it is done, apt refuses everything. */
async function repair({ files, shell }: Host): Promise<void> {
  if ((await files.list('/var/lib/dpkg/updates')).length === 0) return
  await shell.try(['dpkg', '--force-confold', '--configure', '-a'], OPTIONS)
}

/** Package lists grow stale: a file that is gone from the mirror is found after an update. */
async function* installOnce(host: Host, packages: readonly string[]): Progress<void> {
  const argv = ['apt-get', ...APT, ...INSTALL, ...packages]
  try {
    yield* readable(host.shell.stream(argv, OPTIONS))
  } catch {
    yield* update(host)
    yield* readable(host.shell.stream(argv, OPTIONS))
  }
}

/** Without the progress that is meant for a terminal, and without where each package comes from. */
async function* readable(lines: AsyncGenerator<string, void>): Progress<void> {
  for await (const line of lines) {
    if (line.trim() !== '' && !/^(\(Reading database|Get:\d|[NW]: | {2})/.test(line)) yield line
  }
}

async function* update({ shell }: Host): Progress<void> {
  yield 'Reading the package lists'
  yield* readable(shell.stream(['apt-get', ...APT, 'update', '-q'], OPTIONS))
}

function refuseUnknownPhp(known: readonly string[], packages: readonly string[], field: string) {
  for (const name of packages) {
    const version = /^php(\d\.\d)-fpm$/.exec(name)?.[1]
    if (version === undefined || known.includes(version)) continue
    const others = known.length > 0 ? known.join(', ') : 'none'
    throw invalid({ [field]: [`PHP ${version} is not available on this server (${others} is)`] })
  }
}

async function knownPhp({ shell }: Host): Promise<string[]> {
  const { stdout } = await shell.try(['apt-cache', 'pkgnames', 'php', ...READ_ONLY])
  return [...stdout.matchAll(/^php(\d\.\d)-fpm$/gm)].map(([, version]) => version ?? '').sort()
}

/** A turn that lasts until it is given back, for work that talks meanwhile. */
function taken(host: Host, name: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    host.exclusive(name, () => new Promise<void>((release) => resolve(release))).catch(reject)
  })
}
