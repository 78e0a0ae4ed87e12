import { expect, test } from 'bun:test'
import { lastUpdate, rebootOf } from '#agent/features/updates/check.ts'
import { parseSimulation, pendingPackages } from '#agent/features/updates/pending-packages.ts'
import { countNewRestarts, NO_RESTARTS, restartsOf } from '#agent/features/updates/restarts.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

test('reads from apt which packages are pending, and which of them are security updates', () => {
  const text = `Reading package lists...
Inst libssl3 [3.0.19-1~deb12u2] (3.0.22-1~deb12u2 Debian-Security:12/oldstable-security [amd64]) []
Inst jwt [2.6.0-1] (2.6.0-1+deb12u1 Debian:12.15/oldstable, Debian-Security:12/oldstable-security [all])
Inst tzdata [2026a-1] (2026b-1 Debian:12.15/oldstable [all])
Inst linux-image-6.1.0-40-amd64 (6.1.150-1 Debian-Security:12/oldstable-security [amd64])
Conf libssl3 (3.0.22-1~deb12u2 Debian-Security:12/oldstable-security [amd64])
`

  expect(parseSimulation(text)).toEqual([
    {
      name: 'libssl3',
      installed: '3.0.19-1~deb12u2',
      candidate: '3.0.22-1~deb12u2',
      security: true,
    },
    { name: 'jwt', installed: '2.6.0-1', candidate: '2.6.0-1+deb12u1', security: true },
    { name: 'tzdata', installed: '2026a-1', candidate: '2026b-1', security: false },
    {
      name: 'linux-image-6.1.0-40-amd64',
      installed: '',
      candidate: '6.1.150-1',
      security: true,
    },
  ])
})

test('reports why pending packages are unknown', async () => {
  const host = fakeHost()
  host.fail('apt-get', 'E: The list of sources could not be read.\nE: more', 100)

  expect(await pendingPackages(host)).toEqual({
    packages: [],
    problem: 'E: The list of sources could not be read.',
  })
})

test.each([
  { name: 'nothing new', files: {}, reasons: [] },
  {
    name: 'a newer kernel of the same kind',
    files: {
      '/boot/vmlinuz-6.1.0-9-amd64': '',
      '/boot/vmlinuz-6.1.0-40-amd64': '',
      '/boot/vmlinuz-6.1.0-50-cloud-amd64': '',
    },
    reasons: ['kernel 6.1.0-40-amd64'],
  },
  {
    name: 'an older kernel beside it',
    files: { '/boot/vmlinuz-6.1.0-9-amd64': '', '/boot/vmlinuz-6.1.0-8-amd64': '' },
    reasons: [],
  },
  {
    name: 'kernels of which none runs, as in a container',
    files: { '/boot/vmlinuz-6.1.0-40-amd64': '' },
    reasons: [],
  },
  {
    name: 'what packages ask for',
    files: {
      '/run/reboot-required': '*** ***',
      '/run/reboot-required.pkgs': 'libc6\nlibc6\n<b>\n',
    },
    reasons: ['libc6'],
  },
])('a reboot is needed for: $name', async ({ files, reasons }) => {
  const host = fakeHost()
  await host.disk.write('/proc/sys/kernel/osrelease', '6.1.0-9-amd64\n')
  for (const [path, text] of Object.entries(files)) await host.disk.write(path, text)

  expect(await rebootOf(host)).toEqual({
    needed: reasons.length > 0,
    reasons: [...reasons],
  })
})

test('finds the last time that apt upgraded something, also after its history was rotated', async () => {
  const host = fakeHost()
  const entry = (day: string, what: string) =>
    `Start-Date: ${day}  06:00:01\nCommandline: apt\n${what}\nEnd-Date: ${day}  06:00:09\n`
  const upgrade = 'Upgrade: libssl3:amd64 (3.0.19-1, 3.0.22-1), php8.2-fpm:amd64 (8.2.1-1, 8.2.2-1)'
  const history = [
    entry('2026-01-02', 'Upgrade: tzdata:all (1, 2)'),
    entry('2026-01-03', upgrade),
    entry('2026-01-04', 'Install: cron:amd64 (1)'),
  ]
  await host.disk.write('/var/log/apt/history.log', `\n${history.join('\n')}`)

  const found = await lastUpdate(host, null)
  await host.disk.write('/var/log/apt/history.log', '')

  expect(found).toEqual({
    at: new Date('2026-01-03T06:00:09').toISOString(),
    packages: ['libssl3', 'php8.2-fpm'],
  })
  expect(await lastUpdate(host, found)).toEqual(found)
})

test('counts restarts by systemd within an hour, and none before the first check', async () => {
  const host = fakeHost()
  const counted = (nginx: number, mariadb: number) =>
    host.answer(
      'systemctl show',
      `Names=nginx.service\nNRestarts=${nginx}\n\nNames=mariadb.service\nNRestarts=${mariadb}\n`,
    )
  counted(7, 0)
  let restarts = await countNewRestarts(host, NO_RESTARTS)
  expect(restartsOf(restarts, host.time)).toEqual([])

  counted(9, 1)
  restarts = await countNewRestarts(host, restarts)
  host.time += 1_800_000
  // Restarted by hand in between, and once more by systemd.
  counted(1, 1)
  restarts = await countNewRestarts(host, restarts)

  expect(restartsOf(restarts, host.time)).toEqual([
    { name: 'nginx', count: 3, last_at: new Date(host.time).toISOString() },
    { name: 'mariadb', count: 1, last_at: new Date(host.time - 1_800_000).toISOString() },
  ])
  expect(
    restartsOf(restarts, host.time + 1_800_001).map(({ name, count }) => [name, count]),
  ).toEqual([['nginx', 1]])
})
