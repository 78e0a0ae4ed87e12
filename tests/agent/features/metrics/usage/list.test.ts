import { expect, test } from 'bun:test'
import { listUsage } from '#agent/features/metrics/usage/list.ts'
import { measureDue } from '#agent/features/metrics/usage/measure-due.ts'
import type { Output } from '#agent/kernel/host/ports.ts'
import { writeSite } from '#agent/kernel/site/sites.ts'
import { diskLimits } from '#agent/kernel/site/tiers.ts'
import { Usage } from '#shared/metrics/site-usage.ts'
import { shop } from '#tests/support/agent/debian.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

const HOUR = 3_600_000
const RECORDS = '/var/lib/hosting-agent/usage.json'
const BYTES = 'du --summarize --total --block-size=1'
const FILES = 'du --summarize --total --inodes'
const START = '2026-01-01T00:00:00.000Z'

/** Sites named `<user>.example`, each with a folder; `small` unless another tier is given. */
async function machineWith(...users: string[]): Promise<FakeHost> {
  const host = fakeHost()
  for (const user of users) {
    await writeSite(host, { ...shop, domain: `${user}.example`, user })
    await host.disk.mkdir(`/srv/www/${user}/public`)
    await host.disk.mkdir(`/srv/www/${user}/logs`)
    host.databases.set(user, undefined)
  }
  host.answer(BYTES, '4096\t/srv/www/a/logs\n8192\t/srv/www/a/public\n12288\ttotal\n')
  host.answer(FILES, '1\t/srv/www/a/logs\n6\t/srv/www/a/public\n7\ttotal\n')
  host.answer('du --summarize --apparent-size', '2048\t/var/lib/mysql/a\n')
  return host
}

async function measure(host: FakeHost): Promise<string[]> {
  const reported: string[] = []
  await measureDue(host, (error) => reported.push(String(error)))
  return reported
}

/** Which sites were measured, in order. */
const measured = (host: FakeHost) =>
  host.runs.filter(({ line }) => line.startsWith(BYTES)).map(({ options }) => options.site?.user)

/** How the programs end that measure a. */
function endingOfA(host: FakeHost, end: Partial<Output>): void {
  const attempt = host.shell.try
  host.shell.try = async (argv, options) => {
    const output = await attempt(argv, options)
    return options?.site?.user === 'a' ? { ...output, ...end } : output
  }
}

const small = { limit_bytes: 10e9, limit_files: 250_000 }

test('measures each site with its own rights and at the lowest priority', async () => {
  const host = await machineWith('a', 'b')

  expect(await measure(host)).toEqual([])

  const runs = host.runs.filter(({ options }) => options.site)
  expect(runs.map(({ line, options }) => [options.site?.user, line])).toEqual(
    ['a', 'b'].flatMap((user) =>
      [BYTES, FILES].map((du) => [user, `${du} -- /srv/www/${user}/logs /srv/www/${user}/public`]),
    ),
  )
  for (const { options } of runs) {
    expect(options.timeout_ms).toBe(300_000)
    expect(options.site?.directives).toEqual(
      expect.arrayContaining(['PrivateNetwork=yes', 'Nice=19', 'IOSchedulingClass=idle']),
    )
    expect(options.site?.launcher.slice(0, 14)).toContain('ionice')
  }
})

test('lists the last measurement with the limits of the current tier', async () => {
  const host = await machineWith('a', 'b')
  await measure(host)
  await writeSite(host, { ...shop, domain: 'b.example', user: 'b', tier: 'large' })
  await writeSite(host, { ...shop, domain: 'new.example', user: 'new' })

  const sites = await listUsage(host)

  const figures = { bytes: 12_288, files: 7, database_bytes: 2048, measured_at: START }
  const nothing = { bytes: null, files: null, database_bytes: null, measured_at: null }
  expect(sites).toEqual([
    { domain: 'a.example', ...figures, ...small },
    { domain: 'b.example', ...figures, limit_bytes: 100e9, limit_files: 2_000_000 },
    { domain: 'new.example', ...nothing, ...small },
  ])
  expect(Usage.parse({ sites })).toEqual({ sites })
  expect(diskLimits('medium')).toEqual({ bytes: 25e9, files: 500_000 })
})

test.each([
  ['usually after six hours', '12288\ttotal\n', '7\ttotal\n', 6],
  ['near the limit of bytes each hour', '8000000000\ttotal\n', '7\ttotal\n', 1],
  ['near the limit of files each hour', '12288\ttotal\n', '200000\ttotal\n', 1],
])('measures a site again %s', async (_, bytes, files, hours) => {
  const host = await machineWith('a')
  host.answer(BYTES, bytes)
  host.answer(FILES, files)
  await measure(host)
  const times: number[] = []
  for (const after of [hours * HOUR - 1, hours * HOUR]) {
    host.time = Date.parse(START) + after
    await measure(host)
    times.push(measured(host).length)
  }

  expect(times).toEqual([1, 2])
})

test('measures again after a clock in the future or an unreadable measurement', async () => {
  const host = await machineWith('a')
  await measure(host)
  host.set = -HOUR
  await measure(host)
  await host.disk.write(RECORDS, '{"a": {"bytes"')
  await measure(host)

  expect(measured(host)).toEqual(['a', 'a', 'a'])
})

test.each([
  ['that took too long', '', '', 137],
  [
    'that closes a folder to itself',
    '12288\ttotal\n',
    "du: cannot read directory '/srv/www/a/public/x': Permission denied\n",
    1,
  ],
])('reports no size of a site %s, and the time of the attempt', async (_, stdout, stderr, code) => {
  const host = await machineWith('a', 'b')
  endingOfA(host, { code, stdout, stderr })

  expect(await measure(host)).toEqual([])

  const [a, b] = await listUsage(host)
  expect(a).toEqual({
    domain: 'a.example',
    ...{ bytes: null, files: null, database_bytes: 2048, measured_at: START },
    ...small,
  })
  expect(b?.bytes).toBe(12_288)
})

test('ignores a file that disappears during the measurement', async () => {
  const host = await machineWith('a')
  const stderr = "du: cannot access '/srv/www/a/public/x': No such file or directory\n"
  endingOfA(host, { code: 1, stderr })

  await measure(host)

  expect(await listUsage(host)).toMatchObject([{ bytes: 12_288, files: 7 }])
})

test('continues with the next site when one database cannot be read', async () => {
  const host = await machineWith('a', 'b')
  host.failSql('SELECT', 'gone away')

  expect(await measure(host)).toEqual([])

  expect((await listUsage(host)).map((site) => [site.bytes, site.database_bytes])).toEqual([
    [12_288, null],
    [12_288, null],
  ])
})

test('reports empty folders as zero, and forgets removed sites', async () => {
  const host = await machineWith('a', 'b')
  await measure(host)
  await host.disk.remove('/srv/www/b')
  await host.disk.remove('/var/lib/hosting-agent/sites/a.example.json')
  host.databases.delete('b')
  host.time += 6 * HOUR
  await measure(host)

  const measured_at = '2026-01-01T06:00:00.000Z'
  expect(JSON.parse((await host.disk.read(RECORDS)) ?? '')).toEqual({
    b: { bytes: 0, files: 0, database_bytes: 0, measured_at },
  })
})
