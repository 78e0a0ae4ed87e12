import { expect, test } from 'bun:test'
import { changedIn, SiteCounts } from '#agent/features/metrics/counts.ts'
import { DAY_S, MAX_COUNT, MAX_DAYS, NUMBERS } from '#shared/metrics/site-numbers.ts'

const NOW = 100 * DAY_S

test('no number exceeds what a dashboard reads', () => {
  const counts = new SiteCounts()
  for (let turn = 0; turn < 2; turn++) counts.add(NOW, { memory: 9e14 }, NOW)

  expect(counts.days.get(NOW)?.values[NUMBERS.indexOf('memory')]).toBe(MAX_COUNT)
})

test('lists no more days than a dashboard reads: the newest, in order', () => {
  const counts = new SiteCounts()
  for (let day = MAX_DAYS; day >= 0; day--) {
    counts.add(NOW - day * DAY_S + 1, { requests: 1 }, NOW)
    counts.add(NOW - day * DAY_S, { requests: 1 }, NOW)
  }
  const listed = changedIn(counts.days, 0, MAX_DAYS).map(([at]) => (NOW - at) / DAY_S)

  expect(counts.days.size).toBe(MAX_DAYS + 1)
  expect(listed).toEqual([...Array(MAX_DAYS).keys()].reverse())
})

test('forgets what a clock that was ahead has left, and when it changed', () => {
  const counts = new SiteCounts()
  counts.add(NOW, { requests: 1 }, NOW + DAY_S)
  counts.add(NOW + DAY_S, { requests: 1 }, NOW + DAY_S)

  counts.forget(NOW)

  expect([...counts.days.keys(), ...counts.minutes.keys()]).toEqual([NOW])
  expect(counts.days.get(NOW)?.changed).toBe(NOW)
})

test('leaves out the requests of a dashboard, as many as one sends in a minute', () => {
  const counts = new SiteCounts()
  const visit = {
    ...{ status: 200, bytes: 1, php_ms: 1, slow: false, from_cache: false },
    from_dashboard: true as const,
  }
  const requests = () => counts.days.get(NOW)?.values[NUMBERS.indexOf('requests')]
  for (let turn = 0; turn < 16; turn++) counts.request({ at: NOW, ...visit }, NOW)
  expect(requests()).toBeUndefined()
  for (let turn = 0; turn < 100; turn++) counts.request({ at: NOW, ...visit }, NOW)
  expect(requests()).toBe(100)
})

test('counts the requests that nginx refused itself, on days that it began to count', () => {
  const earlier = { values: NUMBERS.map(() => 0), changed: NOW }
  const counts = new SiteCounts(new Map([[NOW, earlier]]))
  const request = { bytes: 1, php_ms: undefined, slow: false, from_cache: false }
  const tomorrow = NOW + DAY_S
  for (const at of [NOW, tomorrow]) {
    for (const status of [200, 403, 404, 429]) counts.request({ at, status, ...request }, at)
    counts.request({ at, status: 403, ...request, php_ms: 3 }, at)
    counts.request({ at, status: 403, ...request, from_cache: true }, at)
  }

  expect([counts.days.get(NOW)?.refused, counts.days.get(tomorrow)?.refused]).toEqual([
    undefined,
    2,
  ])
})
