import { expect, test } from 'bun:test'
import { metricsReader, parseStat } from '#agent/features/servers/metrics.ts'
import { PROTOCOL } from '#shared/kernel/protocol.ts'
import { Metrics } from '#shared/servers/agent.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

function machine() {
  const host = fakeHost()
  const write = (path: string, text: string) => void host.disk.write(path, text)
  write('/proc/meminfo', 'MemTotal:  4096000 kB\nMemFree: 1 kB\nMemAvailable:  1024000 kB\n')
  write('/proc/loadavg', '0.50 1.25 2.00 3/400 12345\n')
  write('/proc/uptime', '86400.55 100.00\n')
  write('/etc/os-release', 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n')
  const ticks = (user: number, idle: number, wait = 0) =>
    write('/proc/stat', `cpu  ${user} 0 0 ${idle} ${wait} 0 0 0 0 0\ncpu0 1 2 3\n`)
  ticks(1000, 1000)
  return { host, ticks }
}

test('reports whole megabytes, seconds and percent', async () => {
  const { host, ticks } = machine()
  const read = metricsReader(host)
  host.clock.sleep = async (ms: number) => {
    expect(ms).toBe(100)
    ticks(1025, 1050, 25)
  }

  const metrics = Metrics.parse(await read())

  expect(metrics).toEqual({
    cpu: 25,
    ram: { used: 3000, total: 4000, unit: 'MB' },
    disk: { used: 102_400, total: 204_800, unit: 'MB' },
    load: [0.5, 1.25, 2],
    uptime: 86400,
    os: 'Debian GNU/Linux 12 (bookworm)',
    version: '0.0.0',
    protocol: PROTOCOL,
  })
})

test('measures the processors since the previous reading, without waiting again', async () => {
  const { host, ticks } = machine()
  const read = metricsReader(host)
  await read()
  const before = host.time
  ticks(1100, 1000)

  expect((await read()).cpu).toBe(100)
  expect((await read()).cpu).toBe(100)
  ticks(1100, 1300)
  expect((await read()).cpu).toBe(0)
  expect(host.time).toBe(before)
})

test('answers on a machine without any values', async () => {
  const metrics = Metrics.parse(await metricsReader(fakeHost())())

  expect(metrics).toMatchObject({
    cpu: 0,
    ram: { used: 0, total: 0 },
    load: [0, 0, 0],
    os: 'Linux',
  })
})

test('counts the time of guests once', () => {
  expect(parseStat('cpu  10 1 2 30 4 5 6 7 10 1\n')).toEqual({ busy: 31, total: 65 })
})
