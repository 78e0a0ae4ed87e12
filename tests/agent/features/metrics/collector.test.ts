import { beforeEach, expect, test } from 'bun:test'
import { NumbersCollector } from '#agent/features/metrics/collector.ts'
import { socketOf } from '#agent/features/php/fpm-files.ts'
import { DAY_S, NUMBERS, type Numbers } from '#shared/metrics/site-numbers.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const LOG = '/var/log/hosting/shop/access.log'
const MINUTE_MS = 60_000
const fail = (error: unknown) => {
  throw error
}

let host: FakeHost
let start: number
beforeEach(async () => {
  host = await server(shop)
  start = host.time / 1000
  await host.disk.write(LOG, '')
  const idle = { 'start time': 1, 'active processes': 1, 'max children reached': 0 }
  host.statuses.set(socketOf({ user: 'shop', php: '8.2' }), JSON.stringify(idle))
})

const two = (value: number) => `${value}`.padStart(2, '0')
function line(status: number, rest = '0.010 0.010 MISS', at = host.time): string {
  const date = new Date(at)
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(':')
  const day = `${two(date.getUTCDate())}/Jan/${date.getUTCFullYear()}:${time} +0000`
  return `203.0.113.7 - - [${day}] "GET / HTTP/1.1" ${status} 100 "-" "-" HTTP/1.1 ${rest}\n`
}
const log = async (...lines: string[]) => host.disk.append(LOG, lines.join(''))

/** Only what is not zero. */
const named = (values: readonly number[] = []): Partial<Numbers> =>
  Object.fromEntries(NUMBERS.map((name, at) => [name, values[at] ?? 0]).filter(([, v]) => v !== 0))

async function later(numbers: NumbersCollector, since = 0, ms = MINUTE_MS) {
  host.time += ms
  await numbers.collect(fail)
  const [site] = numbers.list(since)
  return {
    at: site?.at,
    minutes: (site?.minutes ?? []).map(({ at, values }) => [(at - start) / 60, named(values)]),
    days: (site?.days ?? []).map(({ at, values }) => [(at - start) / DAY_S, named(values)]),
  }
}

test('counts each line once, in its own minute and day', async () => {
  const numbers = new NumbersCollector(host)
  await log(line(200), line(404), line(500, '2.500 2.500 BYPASS'), line(200, '0.000 - HIT'))
  const first = await later(numbers)
  await log(line(200, '0.000 - HIT').slice(0, 40))
  const second = await later(numbers, first.at)
  await log(line(200, '0.000 - HIT').slice(40), line(304, '0.000 - -'))
  const third = await later(numbers, second.at ?? first.at)

  const zero = {
    ...{ requests: 4, client_errors: 1, server_errors: 1, cache_hits: 1 },
    ...{ php_requests: 3, php_ms: 2520, slow: 1, bytes: 400 },
  }
  expect(first).toEqual({ at: start + 60, minutes: [[0, zero]], days: [[0, zero]] })
  expect(second).toEqual({ at: undefined, minutes: [], days: [] })
  expect(third.minutes).toEqual(
    [
      [2, { requests: 1, bytes: 100 }],
      [1, { requests: 1, cache_hits: 1, bytes: 100 }],
    ].toReversed() as never,
  )
  expect(third.days).toEqual([[0, { ...zero, requests: 6, cache_hits: 2, bytes: 600 }]])
})

test('a rotated log is read from its beginning, also when it has grown beyond its former size', async () => {
  const numbers = new NumbersCollector(host)
  await log(line(200), line(200))
  const { at = 0 } = await later(numbers)

  await host.disk.write(LOG, line(404, '0 - -'))
  const shorter = await later(numbers, at)
  await host.disk.write(LOG, [404, 404, 404].map((status) => line(status, '0 - -')).join(''))
  const longer = await later(numbers, shorter.at)

  expect(shorter.minutes).toEqual([[1, { requests: 1, client_errors: 1, bytes: 100 }]])
  expect(longer.minutes).toEqual([[2, { requests: 3, client_errors: 3, bytes: 300 }]])
})

test('follows no link in place of a log', async () => {
  await host.disk.write('/root/other.log', line(200))
  await host.disk.link('/root/other.log', LOG)

  expect((await later(new NumbersCollector(host))).minutes).toEqual([])
})

test('after a restart nothing is counted twice, and nothing is lost', async () => {
  const former = new NumbersCollector(host)
  await log(line(200, '0 - -'))
  await later(former)
  await log(line(200, '0 - -'))
  await later(former)
  await log(line(200, '0 - -'))

  const { days } = await later(new NumbersCollector(host))

  expect(days).toEqual([[0, { requests: 3, bytes: 300 }]])
})

test('a long log that it has never seen is counted from its end', async () => {
  await log(line(200).repeat(12_000))
  const numbers = new NumbersCollector(host)
  const { days, at } = await later(numbers)
  await log(line(200, '0 - -'))

  expect(days).toEqual([[0, {}]])
  expect((await later(numbers, at)).minutes).toEqual([[1, { requests: 1, bytes: 100 }]])
})

test('keeps two hours and fourteen days while no dashboard asks', async () => {
  const numbers = new NumbersCollector(host)
  for (let hour = 0; hour < 20 * 24; hour += 6) {
    await log(line(200, '0 - -'))
    await later(numbers, 0, 6 * 60 * MINUTE_MS)
  }
  const { minutes, days } = await later(numbers)

  expect(minutes).toEqual([])
  expect(days.length).toBeLessThanOrEqual(15)
  expect(days.at(-2)?.[1]).toMatchObject({ requests: 4 })
})

test('a clock that was ahead leaves nothing that is sent for ever', async () => {
  const numbers = new NumbersCollector(host)
  const clock = host.time
  for (let day = 0; day < 16; day++) {
    await log(line(200, '0 - -'))
    await later(numbers, 0, (day === 0 ? 30 : 1) * DAY_S * 1000)
  }
  host.time = clock + MINUTE_MS
  const { at = 0, minutes, days } = await later(numbers)
  const next = await later(numbers, at)

  expect([minutes, days]).toEqual([[], [[0, {}]]])
  expect(next).toEqual({ at: undefined, minutes: [], days: [] })
})

test('has the sizes of a day once they are measured', async () => {
  host.answer('du', '4096\t/var/cache/hosting/shop\n8192\t/var/lib/hosting-mail/queue/shop\n')
  const numbers = new NumbersCollector(host)
  await later(numbers)

  expect(numbers.list(0)[0]?.days[0]?.sizes).toEqual({
    ...{ files: null, database: null, cache: 4096, mail: 8192 },
  })
  expect(
    host.runs.filter(({ line }) => line.startsWith('du')).map(({ options }) => options.user),
  ).toEqual(['www-data', 'hosting-mail'])
})
