import { expect, test } from 'bun:test'
import * as fpm from '#agent/features/php/fpm.ts'
import { fpmService, socketOf } from '#agent/features/php/fpm-files.ts'
import { poolState, putToSleep, Sleeper } from '#agent/features/php/fpm-sleep.ts'
import { writeSite } from '#agent/kernel/site/sites.ts'
import { OUTSIDE_AGENT } from '#shared/health/visits.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const MINUTE = 60_000
const LOG = '/var/log/hosting/shop/access.log'
const pool = { user: 'shop', php: '8.2' }
const { unit, socket_unit, processes } = fpmService(pool)
const STOP = `systemctl stop ${unit}`

async function serverWith(site: typeof shop) {
  const host = await server(site)
  await host.disk.write(LOG, 'one\n')
  host.runs.length = 0
  const sleeper = new Sleeper()
  const errors: unknown[] = []
  const minutes = async (count: number, each = async () => {}) => {
    for (let left = count; left > 0; left--) {
      await each()
      await sleeper.look(host, (error) => errors.push(error))
      host.time += MINUTE
    }
  }
  return { host, errors, minutes }
}

const stops = (host: FakeHost) => host.ran.filter((line) => line === STOP).length

test('ends PHP-FPM a quarter of an hour after the last visitor, and keeps its socket', async () => {
  const { host, minutes } = await serverWith(shop)

  await minutes(15)
  expect(stops(host)).toBe(0)
  await minutes(1)

  expect(host.ran).toEqual([
    `systemctl is-active --quiet ${socket_unit}`,
    STOP,
    `systemctl reset-failed ${unit}`,
  ])
  await minutes(60)
  expect(stops(host)).toBe(1)
})

test('ends nothing while visitors come', async () => {
  const { host, minutes } = await serverWith(shop)

  await minutes(90, () => host.disk.append(LOG, 'another\n'))

  expect(stops(host)).toBe(0)
})

test('waits for a long request', async () => {
  const { host, minutes } = await serverWith(shop)
  const line = `ffff: 00000003 00000000 00000000 0001 03 4711 ${socketOf(pool)}`
  await host.disk.write('/proc/1/net/unix', `Num RefCount Protocol Flags\n${line}\n`)

  await minutes(30)
  expect(stops(host)).toBe(0)
  await host.disk.write('/proc/1/net/unix', 'Num RefCount Protocol Flags\n')
  await minutes(1)

  expect(stops(host)).toBe(1)
})

test('restarts the full idle time after a wake, although the first request still runs', async () => {
  const { host, minutes } = await serverWith(shop)
  await minutes(16)
  await minutes(30)
  await host.disk.write(processes, '20\n')

  await minutes(15)

  expect(stops(host)).toBe(1)
})

const visit = (host: FakeHost) =>
  host.disk.append(
    LOG,
    `203.0.113.9 - - [23/Nov/2026:14:50:33 +0000] "GET / HTTP/1.1" 200 9 "-" "${OUTSIDE_AGENT}" HTTP/1.1 0 - -\n`,
  )

test('does not count health checks as visitors, and ends PHP-FPM soon after one has woken it', async () => {
  const { host, minutes } = await serverWith(shop)
  let minute = 0
  const everyFive = async () => {
    if (minute++ % 5 === 0) await visit(host)
  }

  await minutes(16, everyFive)
  expect(stops(host)).toBe(1)
  await minutes(4)
  await host.disk.write(processes, '20\n')
  await visit(host)
  await minutes(1)
  expect(stops(host)).toBe(2)
  await minutes(4)
  await host.disk.write(processes, '20\n')
  await visit(host)
  await host.disk.append(LOG, 'a visitor\n')
  await minutes(15)

  expect(stops(host)).toBe(2)
})

test.each([
  ['medium', 61, 1],
  ['large', 1000, 0],
] as const)('waits the idle time of tier %s', async (tier, minutesLong, expected) => {
  const { host, minutes } = await serverWith({ ...shop, tier })

  await minutes(minutesLong - 1)
  expect(stops(host)).toBe(0)
  await minutes(1)

  expect(stops(host)).toBe(expected)
})

test('does nothing where systemd does not keep the socket', async () => {
  const { host, minutes } = await serverWith(shop)
  host.init = 'direct'
  await minutes(100)
  host.init = 'systemd'
  host.fail('systemctl is-active', '', 3)
  await minutes(100)

  expect(stops(host)).toBe(0)
})

test('continues with the other sites when one does not stop', async () => {
  const { host, errors, minutes } = await serverWith(shop)
  const other = fpmService({ user: 'other', php: '8.2' })
  await writeSite(host, { ...shop, domain: 'zoo.example', user: 'other' })
  await host.disk.write(other.processes, '30\n')
  host.fail(STOP, 'Job timed out')

  await minutes(16)

  expect(String(errors[0])).toContain('Job timed out')
  expect(host.ran).toContain(`systemctl stop ${other.unit}`)
})

test('distinguishes sleeping, running, failed and unwakeable PHP-FPM', async () => {
  const host = await server(shop)
  expect(await poolState(host, pool)).toBe('running')
  await host.disk.remove(processes)
  expect(await poolState(host, pool)).toBe('broken')
  host.fail('systemctl is-failed', '')
  expect(await poolState(host, pool)).toBe('asleep')
  host.init = 'direct'
  expect(await poolState(host, pool)).toBe('broken')
  host.init = 'systemd'
  await host.disk.remove(socketOf(pool))

  expect(await poolState(host, pool)).toBe('broken')
})

test('a change starts a sleeping PHP-FPM to test it, and is undone when that fails', async () => {
  const host = await server(shop)
  await host.disk.remove(processes)
  const before = host.disk.all
  host.fail('systemctl is-failed', '')
  host.runs.length = 0
  const { run } = host.shell
  host.shell.run = async (argv, options) => {
    if (argv.join(' ') === `systemctl restart ${unit}`) throw new Error('Job failed')
    return run(argv, options)
  }

  await expect(fpm.apply(host, { ...shop, tier: 'large' }).apply()).rejects.toThrow('Job failed')

  expect(host.ran.at(-1)).toBe(`systemctl start ${unit}`)
  const { [processes]: started, ...disk } = host.disk.all
  expect([typeof started, disk]).toEqual(['string', before])
})

test('does not stop PHP-FPM during a change', async () => {
  const host = await server(shop)
  host.runs.length = 0

  await Promise.all([fpm.apply(host, { ...shop, tier: 'medium' }).apply(), putToSleep(host, pool)])

  const verbs = host.ran.filter((line) => line.endsWith(unit))
  expect(verbs).toEqual([`systemctl reload ${unit}`, STOP, `systemctl reset-failed ${unit}`])
})
