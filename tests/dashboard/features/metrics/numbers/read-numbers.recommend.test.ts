import { expect, test } from 'bun:test'
import type { DayNumbers } from '#dashboard/features/metrics/numbers/queries.ts'
import { recommend } from '#dashboard/features/metrics/numbers/read-numbers.ts'
import type { Tier } from '#shared/kernel/fields.ts'
import type { Recommendation } from '#shared/metrics/api/numbers.ts'
import { DAY_S, NUMBERS, type Numbers } from '#shared/metrics/site-numbers.ts'

const NOW = Date.parse('2026-03-01T12:00:00.000Z') / 1000

/** The last `count` days, the newest last: each with these numbers, or those of the list. */
function days(count: number, given: Partial<Numbers>, newest: Partial<Numbers>[] = []) {
  return Array.from({ length: count }, (_, at) => {
    const own = newest[at - count + newest.length]
    const all = Object.fromEntries(NUMBERS.map((name) => [name, 0]))
    const sizes = { files: null, database: null, cache: null, mail: null }
    const place = { at: NOW - 43_200 - (count - 1 - at) * DAY_S, ...sizes }
    return { ...all, ...given, ...own, ...place } as DayNumbers
  })
}

const busy = { requests: 5000 }

test.each<[string, DayNumbers[], Tier, Recommendation | null]>([
  ['a busy site that fits', days(28, busy), 'small', null],
  ['nothing known', [], 'large', null],
  ['full on one day only', days(28, busy, [{ full: 90 }]), 'small', null],
  ['full now and then', days(28, busy, [{ full: 9 }, { full: 10 }]), 'small', null],
  [
    'full on several days',
    days(28, busy, [{ full: 15 }, {}, { full: 5 }]),
    'small',
    { tier: 'medium', reasons: [{ code: 'workers', count: 20, days: 2 }] },
  ],
  [
    'full long ago',
    days(28, busy, [{ full: 99 }, { full: 99 }, ...Array(7).fill({})]),
    'small',
    null,
  ],
  ['full on the largest tier', days(28, busy, [{ full: 99 }, { full: 99 }]), 'large', null],
  [
    'out of memory',
    days(9, busy, [
      { memory: 3, killed: 1 },
      { memory: 3, killed: 1 },
    ]),
    'medium',
    {
      tier: 'large',
      reasons: [
        { code: 'memory', count: 6, days: 2 },
        { code: 'killed', count: 2, days: 2 },
      ],
    },
  ],
  [
    'idle for four weeks',
    days(28, { requests: 12 }),
    'large',
    { tier: 'medium', reasons: [{ code: 'idle', count: 336, days: 28 }] },
  ],
  ['idle on the smallest tier', days(28, {}), 'small', null],
  ['idle, but only known for three weeks', days(21, {}), 'medium', null],
  ['idle, but with one busy day', days(28, {}, [{ requests: 101 }]), 'medium', null],
  ['idle, but out of memory', days(28, {}, [{ memory: 1 }]), 'medium', null],
  ['idle, but with an ended program', days(28, {}, [{ killed: 1 }]), 'medium', null],
])('%s', (_, known, tier, recommendation) => {
  expect(recommend(known, tier, NOW)).toEqual(recommendation)
})
