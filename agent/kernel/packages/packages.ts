import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Progress, Step } from '#agent/kernel/steps/command.ts'
import { QUOTA_PACKAGE, quotaMount } from '#agent/kernel/users/quota.ts'
import { invalid } from '#shared/kernel/errors.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { SHIPPED_PHP } from '#shared/php/php-support.ts'
import { INSTALL, READ_ONLY, repairDpkg, runApt, update, withApt } from './apt.ts'

/** The extensions that WordPress requires or recommends (Site Health), and SOAP for shops. */
const EXTENSIONS = [
  'mysql',
  'curl',
  'gd',
  'xml',
  'mbstring',
  'zip',
  'intl',
  'bcmath',
  'imagick',
  'soap',
]
/**
 * Packages for images of all sizes, by Debian release: Imagick reads AVIF on both, and WordPress
 * therefore uses it, but since Debian 13 its encoder is a package that apt only recommends.
 */
export const IMAGE_PACKAGES: Partial<Record<string, readonly string[]>> = {
  '13': ['libheif-plugin-aomenc'],
}
const BASE_PACKAGES = [
  'nginx',
  'mariadb-server',
  'mariadb-client',
  'cron',
  'logrotate',
  'ca-certificates',
]

/** Returns the PHP version that this Debian ships. Throws for any other distribution. */
export async function shippedPhp(host: Host): Promise<string> {
  const { debian, name } = await releaseOf(host)
  const php = SHIPPED_PHP[debian]
  if (php !== undefined) return php
  throw new Error(`This server runs ${name || 'an unknown system'}: use Debian 12 or Debian 13`)
}

/** Reads os-release(5); `debian` is empty for any other distribution. */
async function releaseOf({ files }: Host): Promise<{ debian: string; name: string }> {
  const text = (await files.read('/etc/os-release')) ?? ''
  const field = (name: string) => new RegExp(`^${name}="?([^"\n]*)"?$`, 'm').exec(text)?.[1] ?? ''
  const debian = field('ID') === 'debian' ? field('VERSION_ID') : ''
  return { debian, name: field('PRETTY_NAME') }
}

/** Lists versions whose PHP-FPM is installed, oldest first. */
export async function installedPhp({ files }: Host): Promise<string[]> {
  const programs = await files.list('/usr/sbin')
  return programs.flatMap(({ name }) => /^php-fpm(\d\.\d+)$/.exec(name)?.[1] ?? []).sort()
}

export const packagesOf = (php: string): string[] =>
  ['fpm', 'cli', ...EXTENSIONS].map((part) => `php${php}-${part}`)

/** Returns the packages of these PHP versions, and all others that are not installed yet. */
export async function missingPackages(host: Host, php: readonly string[]): Promise<string[]> {
  const status = (await host.files.read('/var/lib/dpkg/status', 64 << 20)) ?? ''
  const installed = new Set(
    [...status.matchAll(/^Package: (\S+)\nStatus: \S+ ok installed$/gm)].map(([, name]) => name),
  )
  const quota = (await quotaMount(host)) === undefined ? [] : [QUOTA_PACKAGE]
  const images = IMAGE_PACKAGES[(await releaseOf(host)).debian] ?? []
  const all = [...BASE_PACKAGES, ...quota, ...images, ...php.flatMap(packagesOf)]
  return all.filter((name) => !installed.has(name))
}

/**
 * Returns the step that installs the quota program if quotas were turned on after provisioning;
 * none if it is installed, or quotas are off. Its failure is reported, and stops nothing.
 */
export async function quotaPackageSteps(host: Host): Promise<Step[]> {
  if (!(await missingPackages(host, [])).includes(QUOTA_PACKAGE)) return []
  const packages = packagesInstalled(host, [QUOTA_PACKAGE], 'php')
  return [
    {
      name: 'quota package',
      title: `Installing ${QUOTA_PACKAGE}`,
      effects: packages.effects,
      async *apply() {
        try {
          yield* packages.apply()
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error)
          yield `Warning: ${QUOTA_PACKAGE} could not be installed: ${reason}`
        }
      },
    },
  ]
}

/** Throws invalid on `field` for a PHP version that no repository has, naming the others. */
export async function refuseUnknownPackages(
  host: Host,
  packages: readonly string[],
  field: string,
): Promise<void> {
  const known = await knownPhp(host)
  if (known.length > 0) refuseUnknownPhp(known, packages, field)
}

/** Returns what apt would do; undefined if apt cannot report it. */
export async function simulateApt(
  host: Host,
  packages: readonly string[],
): Promise<Effect[] | undefined> {
  const argv = ['apt-get', ...READ_ONLY, '--simulate', ...INSTALL, ...packages]
  const { code, stdout } = await host.shell.try(argv)
  const found = [...stdout.matchAll(/^(Inst|Remv) (\S+)( \[)?/gm)]
  if (code !== 0 || found.length === 0) return undefined
  return found.map(([, verb, name = '', former]) => {
    if (verb === 'Remv') return effects.remove('package', name)
    return former ? effects.change('package', name) : effects.create('package', name)
  })
}

interface InstallOptions {
  removes?: boolean
  /** Runs before each attempt, with the package lists of that attempt: its error prevents it. */
  before?: () => Promise<void>
}

/**
 * Installs packages from the configured repositories, one apt at a time. Removes no conflicting
 * package, such as another database server, without `removes`. Throws invalid on `field` for a PHP
 * version that no repository has, naming the available ones. The effects are those that apt reports;
 * dependencies are known once apt has its lists.
 */
export const packagesInstalled = (
  host: Host,
  packages: readonly string[],
  field: string,
  options: InstallOptions = {},
) => ({
  async effects(): Promise<Effect[]> {
    const created = packages.map((name) => effects.create('package', name))
    const known = await simulateApt(host, packages)
    return known ?? [effects.run('program', 'apt-get update'), ...created]
  },
  apply: () => installPackages(host, packages, field, options),
})

function installPackages(
  host: Host,
  packages: readonly string[],
  field: string,
  { removes = false, before = async () => {} }: InstallOptions,
): Progress<void> {
  const keeping = removes ? [] : ['-o', 'APT::Get::Remove=false']
  const args = [...keeping, ...INSTALL, ...packages]
  return withApt(host, async function* () {
    if ((await knownPhp(host)).length === 0) yield* update(host)
    refuseUnknownPhp(await knownPhp(host), packages, field)
    await repairDpkg(host)
    try {
      await before()
      yield* runApt(host, args)
    } catch {
      // Package lists become outdated: an update finds the successor of a removed file.
      yield* update(host)
      await before()
      yield* runApt(host, args)
    }
  })
}

/** Returns whether a package is of a PHP version that no repository has; Debian has one. */
export async function hasUnknownPhp(host: Host, packages: readonly string[]): Promise<boolean> {
  const known = [...(await knownPhp(host)), await shippedPhp(host)]
  return unknownPhp(known, packages).length > 0
}

const unknownPhp = (known: readonly string[], packages: readonly string[]) =>
  packages
    .flatMap((name) => /^php(\d\.\d)-fpm$/.exec(name)?.[1] ?? [])
    .filter((version) => !known.includes(version))

function refuseUnknownPhp(known: readonly string[], packages: readonly string[], field: string) {
  const [version] = unknownPhp(known, packages)
  if (version === undefined) return
  const others = known.length > 0 ? known.join(', ') : 'none'
  throw invalid({ [field]: [`PHP ${version} is not available on this server (${others} is)`] })
}

async function knownPhp({ shell }: Host): Promise<string[]> {
  const { stdout } = await shell.try(['apt-cache', 'pkgnames', 'php', ...READ_ONLY])
  return [...stdout.matchAll(/^php(\d\.\d)-fpm$/gm)].map(([, version]) => version ?? '').sort()
}
