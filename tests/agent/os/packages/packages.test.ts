import { expect, test } from 'bun:test'
import { install, installedPhp, missingPackages, shippedPhp } from '#agent/os/packages/packages.ts'
import { debian, performed } from '#tests/support/agent/debian.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

const installing = (host: FakeHost, packages: string[]) =>
  performed(() => install(host, packages, 'php'))

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
