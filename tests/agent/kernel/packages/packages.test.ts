import { expect, test } from 'bun:test'
import {
  installedPhp,
  missingPackages,
  packagesInstalled,
  shippedPhp,
} from '#agent/kernel/packages/packages.ts'
import { bodyOf } from '#shared/kernel/errors.ts'
import { debian, performed } from '#tests/support/agent/debian.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

const installing = (host: FakeHost, packages: string[]) =>
  performed(() => packagesInstalled(host, packages, 'php').apply())

test.each([
  ['12', '8.2'],
  ['13', '8.4'],
])('Debian %s ships PHP %s', async (version, php) => {
  const host = fakeHost()
  await host.disk.write('/etc/os-release', `ID=debian\nVERSION_ID="${version}"\n`)

  expect(await shippedPhp(host)).toBe(php)
})

test('counts a package that was removed as missing', async () => {
  const host = debian()
  const status = (await host.disk.read('/var/lib/dpkg/status')) ?? ''
  const removed = 'Package: nginx\nStatus: deinstall ok config-files'
  await host.disk.write(
    '/var/lib/dpkg/status',
    status.replace('Package: nginx\nStatus: install ok installed', removed),
  )

  expect(await missingPackages(host, ['8.2'])).toEqual(['nginx'])
  expect(await installedPhp(host)).toEqual(['8.2'])
})

test.each([
  ['12', []],
  ['13', ['libheif-plugin-aomenc']],
])('Debian %s needs %j for the sizes of AVIF images', async (version, packages) => {
  const host = debian()
  await host.disk.write('/etc/os-release', `ID=debian\nVERSION_ID="${version}"\n`)

  expect(await missingPackages(host, ['8.2'])).toEqual(packages)
})

test('asks no question, and keeps files that an administrator changed', async () => {
  const host = fakeHost()
  host.answer('apt-cache pkgnames', 'php8.2-fpm\n')

  await installing(host, ['nginx'])

  const { line, options } = host.runs.at(-1) ?? { line: '', options: {} }
  expect(line).toBe(
    'apt-get -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold -o APT::Get::Remove=false install -y -q --no-install-recommends nginx',
  )
  expect(options.env).toEqual({ DEBIAN_FRONTEND: 'noninteractive' })
})

test('reads the package lists first if there are none', async () => {
  const host = fakeHost()

  const [lines] = await installing(host, ['nginx'])

  expect(lines).toEqual(['Reading the package lists'])
})

test('reads the package lists again when they are out of date', async () => {
  const host = fakeHost()
  host.answer('apt-cache pkgnames', 'php8.2-fpm\n')
  const install =
    'apt-get -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold -o APT::Get::Remove=false install'
  host.fail(install, '404  Not Found', 100)

  const [lines, message] = await installing(host, ['nginx'])

  expect(lines).toEqual(['Reading the package lists'])
  expect(message).toContain('404  Not Found')
})

const LOCKED =
  'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (apt-get)'
const FETCH = [
  'Err:1 http://deb.example trixie InRelease',
  '  Temporary failure resolving deb.example',
  'E: Failed to fetch http://deb.example/a.deb  Temporary failure resolving deb.example',
  'E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?',
].join('\n')
const DPKG = [
  'dpkg: error processing package mariadb-server (--configure):',
  ' installed mariadb-server package post-installation script subprocess returned error exit status 1',
  'Errors were encountered while processing:',
  ' mariadb-server',
  'E: Sub-process /usr/bin/dpkg returned an error code (1)',
].join('\n')
const SPACE = "E: You don't have enough free space in /var/cache/apt/archives/."

test.each([
  [
    LOCKED,
    `apt-get failed: ${LOCKED.slice(3)}. Another program installs packages on this server: wait until it has ended, then choose Retry`,
  ],
  [
    FETCH,
    'apt-get failed: Failed to fetch http://deb.example/a.deb  Temporary failure resolving deb.example; Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?. This server cannot read its package sources: check its network, and /etc/apt, then choose Retry',
  ],
  [
    DPKG,
    'apt-get failed: dpkg: error processing package mariadb-server (--configure):; Sub-process /usr/bin/dpkg returned an error code (1). A program of a package failed: see /var/log/apt/term.log on this server, correct the cause, then choose Retry',
  ],
  [
    SPACE,
    "apt-get failed: You don't have enough free space in /var/cache/apt/archives/. Free some space on this server, then choose Retry",
  ],
  [
    'something new',
    'apt-get failed: something new. Run "apt-get check" as root on this server, and correct what it reports, then choose Retry',
  ],
])('a failure of apt has its reasons, what to do, and a code: %j', async (output, message) => {
  const host = fakeHost()
  host.answer('apt-cache pkgnames', 'php8.2-fpm\n')
  host.fail('apt-get', output, 100)

  const error = await Array.fromAsync(packagesInstalled(host, ['nginx'], 'php').apply()).catch(
    (thrown) => thrown,
  )

  expect(bodyOf(error)).toEqual({
    error: 'Internal error',
    message,
    code: output === SPACE ? 'disk_full' : 'packages_failed',
  })
})
