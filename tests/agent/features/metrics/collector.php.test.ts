import { beforeEach, expect, test } from 'bun:test'
import { type LastCounters, readPhp } from '#agent/features/metrics/collector.ts'
import { socketOf } from '#agent/features/php/fpm-files.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const SLICE = '/sys/fs/cgroup/hosting.slice/hosting-shop.slice'
const PROCESSES = `${SLICE}/hosting-fpm@shop-php8.2.service/cgroup.procs`
const SOCKET = socketOf({ user: 'shop', php: '8.2' })

let host: FakeHost
let seen: LastCounters
beforeEach(async () => {
  host = await server(shop)
  seen = {}
  status(1, 0, 1)
})

const status = (started: number, full: number, active: number) =>
  host.statuses.set(
    SOCKET,
    JSON.stringify({
      'start time': started,
      'active processes': active,
      'max children reached': full,
    }),
  )

/** Only what is not zero. */
async function next() {
  const read = await readPhp(host, shop, seen)
  seen = read.seen
  return Object.fromEntries(Object.entries(read.numbers).filter(([, value]) => value !== 0))
}

test('counts busy workers and memory since the last round, and wakes no PHP-FPM', async () => {
  const rounds = []
  for (const round of [
    async () => {
      status(1, 5, 9)
      await host.disk.write(PROCESSES, '')
    },
    () => host.disk.write(PROCESSES, '7\n'),
    () => status(1, 7, 3),
    () => status(2, 1, 1),
    () => host.statuses.set(SOCKET, '{"active processes":"many"}'),
    () => host.statuses.delete(SOCKET),
  ]) {
    await round()
    rounds.push(await next())
  }

  expect(rounds).toEqual([
    {},
    { active: 8 },
    { full: 2, active: 2 },
    { full: 1 },
    {},
    // No worker was left to answer.
    { active: 5 },
  ])
})

test('counts the memory limit of the site itself, and what was ended for it', async () => {
  const memory = async (max: number, oom: number, killed: number) => {
    const own = `low 0\nhigh 7\nmax ${max}\noom ${oom}\noom_kill 0\n`
    await host.disk.write(`${SLICE}/memory.events.local`, own)
    const all = `low 0\nhigh 7\nmax ${max + 40}\noom ${oom + 9}\noom_kill ${killed}\n`
    await host.disk.write(`${SLICE}/memory.events`, all)
  }
  const rounds = []
  for (const round of [
    () => memory(2, 0, 0),
    () => memory(4, 1, 1),
    // A job with a limit of its own.
    () => memory(6, 1, 2),
    () => memory(6, 2, 4),
    () => memory(1, 0, 0),
  ]) {
    await round()
    rounds.push(await next())
  }

  expect(rounds).toEqual([
    {},
    { memory: 2, killed: 1 },
    { memory: 2 },
    { killed: 2 },
    { memory: 1 },
  ])
})

test('what workers of a site claim stays within the bounds that a dashboard reads', async () => {
  await host.disk.write(PROCESSES, '7\n')
  const rounds = []
  for (const full of [0, 1e9, 1e12, 0, 500_000]) {
    status(1, full, 1)
    rounds.push(await next())
  }

  expect(rounds).toEqual([{}, { full: 10_000 }, {}, {}, { full: 10_000 }])
})
