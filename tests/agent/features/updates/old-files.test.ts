import { expect, test } from 'bun:test'
import { oldPrograms, toReported } from '#agent/features/updates/old-files.ts'
import { programRestarts } from '#agent/features/updates/program-restarts.ts'
import { writeSite } from '#agent/kernel/site/sites.ts'
import { installed, shop } from '#tests/support/agent/debian.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

const NOW = '2026-01-01T00:00:00.000Z'

/** A process of a unit that runs a deleted file. */
async function old(host: FakeHost, ...processes: [pid: number, unit: string, parent?: number][]) {
  for (const [pid, unit, parent = 1] of processes) {
    await host.disk.write(`/proc/${pid}/cgroup`, `0::/system.slice/${unit}\n`)
    await host.disk.write(`/proc/${pid}/status`, `Name:\tx\nPPid:\t${parent}\n`)
  }
  const lines = processes.map(
    ([pid]) => `/proc/${pid}/maps:7f0-7f1 r-xp 0 fe:00 1 /usr/lib/x (deleted)`,
  )
  host.answer('grep', lines.join('\n'))
}

async function server(): Promise<FakeHost> {
  const host = fakeHost()
  await writeSite(host, shop)
  await host.disk.write('/var/lib/dpkg/status', installed([]))
  await host.disk.write('/run/nginx.pid', '11\n')
  return host
}

test('recognises programs with replaced files by their mappings', async () => {
  const host = await server()
  const pool = 'hosting.slice/hosting-shop.slice/hosting-fpm@shop-php8.2.service'
  await old(
    host,
    [11, 'nginx.service'],
    [20, pool],
    [21, pool],
    [30, 'mariadb.service'],
    [40, 'ssh.service'],
    [50, 'hosting-cron@shop.service'],
    [60, 'hosting-operation-abc.def.service'],
  )

  const found = toReported(await oldPrograms(host), [], { now: NOW, problems: new Map() })

  expect(found).toEqual([
    { name: 'nginx', kind: 'service', domain: '', since: NOW, problem: '' },
    { name: 'php-fpm:shop', kind: 'site', domain: 'shop.example', since: NOW, problem: '' },
    {
      name: 'mariadb',
      kind: 'service',
      domain: '',
      since: NOW,
      problem: 'A restart interrupts sites for some seconds: request it',
    },
    {
      name: 'ssh',
      kind: 'other',
      domain: '',
      since: NOW,
      problem: 'Restart it, or reboot the server: Hosting Control does not restart it',
    },
  ])
  const [line = ''] = host.ran
  expect([line.startsWith('grep '), host.runs[0]?.options.unconfined]).toEqual([true, true])
  expect(line).toContain(' /proc/11/maps ')
})

test('lets old nginx processes complete their last requests', async () => {
  const host = await server()
  await old(host, [9, 'nginx.service'])

  const found = toReported(await oldPrograms(host), [], { now: NOW, problems: new Map() })

  expect(found).toMatchObject([
    { name: 'nginx', problem: 'Old processes complete their last requests' },
  ])
  expect(await programRestarts(host, { database: true })).toEqual([])
})

test('remembers since when, and why a restart failed', async () => {
  const host = await server()
  await old(host, [20, 'hosting-fpm@shop-php8.2.service'])
  const [first] = toReported(await oldPrograms(host), [], { now: NOW, problems: new Map() })
  const before = first ? [first] : []

  const found = toReported(await oldPrograms(host), before, {
    now: '2026-01-02T00:00:00.000Z',
    problems: new Map([['php-fpm:shop', 'PHP-FPM refuses the configuration of shop']]),
  })

  expect(found).toMatchObject([
    { since: NOW, problem: 'PHP-FPM refuses the configuration of shop' },
  ])
})

test('restarts services before sites, the agent last, and MariaDB only on request', async () => {
  const host = await server()
  await old(
    host,
    [70, 'hosting-agent.service'],
    [20, 'hosting-fpm@shop-php8.2.service'],
    [30, 'mariadb.service'],
    [11, 'nginx.service'],
    [40, 'ssh.service'],
  )

  const names = async (database: boolean) =>
    (await programRestarts(host, { database })).map(({ name }) => name)

  expect(await names(false)).toEqual(['nginx', 'php-fpm:shop', 'hosting-agent'])
  expect(await names(true)).toEqual(['mariadb', 'nginx', 'php-fpm:shop', 'hosting-agent'])
})

test('restarts the object cache of a site beside its PHP, and none of a suspended site', async () => {
  const host = await server()
  const cached = { object_cache: { memory: 64 } }
  await writeSite(host, { ...shop, ...cached })
  const asleep = { domain: 'asleep.example', user: 'asleep', suspended: true as const }
  await writeSite(host, { ...shop, ...cached, ...asleep })
  await old(
    host,
    [20, 'hosting-fpm@shop-php8.2.service'],
    [21, 'hosting-objects@shop.service'],
    [22, 'hosting-objects@asleep.service'],
  )

  const found = await programRestarts(host, { database: false })
  for (const { apply } of found.slice(1)) await apply()

  expect(found.map(({ name, group, title }) => [name, group, title])).toEqual([
    ['php-fpm:shop', 'PHP 8.2', 'Restarting PHP 8.2 of shop.example'],
    ['objects:shop', 'objects:', 'Restarting the object cache of shop.example'],
  ])
  expect(host.ran.at(-1)).toBe('systemctl try-restart hosting-objects@shop.service')
})

test('without systemd, recognises programs by their pid files', async () => {
  const host = await server()
  host.init = 'direct'
  await old(host, [11, '', 1], [12, '', 11], [99, '', 1])

  expect((await oldPrograms(host)).map(({ name }) => name)).toEqual(['nginx'])
})
