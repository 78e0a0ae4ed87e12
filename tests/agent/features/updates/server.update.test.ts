import { expect, test } from 'bun:test'
import { serverUpdate } from '#agent/features/updates/server.update.ts'
import { planOf } from '#agent/kernel/operations/runner.ts'
import { serverUpdate as contract } from '#shared/updates/server.update.ts'
import { contextOf, outcome, server } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const PENDING = `Inst libssl3 [1] (2 Debian-Security:12/stable-security [amd64])
Inst tzdata [1] (2 Debian:12.1/stable [all])
Inst linux-image-9 (9 Debian-Security:12/stable-security [amd64])
`
const INSTALL = 'apt-get -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold'
const SAFE = '-y -q --no-install-recommends --no-remove'

const update = (host: FakeHost, input: object = {}) =>
  outcome(serverUpdate.run(contract.params.parse(input), contextOf(host)))

async function pending(): Promise<FakeHost> {
  const host = await server()
  const simulate =
    'apt-get -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o Debug::NoLocking=true'
  host.answer(`${simulate} --simulate upgrade`, PENDING)
  const { stream } = host.shell
  host.shell.stream = (argv, options) => {
    if (argv.includes('--no-remove')) host.answer(`${simulate} --simulate upgrade`, '')
    return stream(argv, options)
  }
  return host
}

test('installs the security updates and nothing else, and never removes a package', async () => {
  const host = await pending()

  const [lines, result] = await update(host)

  expect(lines).toEqual([
    'Looking for updates',
    'Reading the package lists',
    'Installing security updates of libssl3',
    'Restarting programs with replaced files, one after the other',
    '3 packages were updated',
  ])
  expect(result).toEqual({
    packages: ['libssl3', 'tzdata', 'linux-image-9'],
    restarted: [],
    reboot_needed: false,
  })
  expect(host.ran).toContain(`${INSTALL} install --only-upgrade ${SAFE} -- libssl3`)
})

test('installs all updates on request', async () => {
  const host = await pending()

  await update(host, { scope: 'all' })

  expect(host.ran).toContain(`${INSTALL} upgrade --with-new-pkgs ${SAFE}`)
})

test('plans the changes that apt announces, and changes nothing', async () => {
  const host = await pending()
  host.answer(
    'apt-get -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o Debug::NoLocking=true --simulate install --only-upgrade',
    'Inst libssl3 [1] (2 Debian-Security:12/stable-security [amd64])\nInst libnew (1 Debian:12 [amd64])\n',
  )
  const before = host.disk.all

  const plan = await planOf(await serverUpdate.plan(contract.params.parse({}), host))

  expect(plan.steps.map(({ name, effects }) => [name, effects])).toEqual([
    [
      'packages',
      [
        { action: 'change', kind: 'package', name: 'libssl3' },
        { action: 'create', kind: 'package', name: 'libnew' },
      ],
    ],
    ['restarts', [{ action: 'run', kind: 'restart', name: 'programs that run replaced files' }]],
  ])
  expect(host.disk.all).toEqual(before)
})

test('fails with the message of apt, and repairs the state that dpkg left', async () => {
  const host = await pending()
  host.fail(`${INSTALL} install`, 'E: Packages need to be removed but remove is disabled.', 100)
  await host.disk.write('/var/lib/dpkg/updates/0001', '')

  const [, message] = await update(host)

  expect(message).toContain('Packages need to be removed but remove is disabled')
  expect(host.ran).toContain('dpkg --force-confold --configure -a')
})

test('reports that apt cannot list pending updates', async () => {
  const host = await server()
  host.fail('apt-get -o Dir::Cache', 'E: broken', 100)

  const [, message] = await update(host)

  expect(message).toBe('apt cannot list the pending updates: E: broken')
})
