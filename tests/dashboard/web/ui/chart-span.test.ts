import { expect, test } from 'bun:test'
import { spanSince } from '#dashboard/web/ui/chart-span.ts'

const NOON = Date.parse('2026-01-01T12:00:00.000Z') / 1000
const iso = (minutes: number) => new Date((NOON + minutes * 60) * 1000).toISOString()
const columns = {
  from: iso(-60),
  to: iso(0),
  at: Array.from({ length: 6 }, (_, place) => NOON - (60 - place * 10) * 60),
}

test.each([
  ['before the period', iso(-90), -60, null],
  ['with the period', iso(-60), -60, null],
  ['in a point of the period', iso(-33), -40, iso(-33)],
  ['after the period', iso(5), -10, iso(5)],
  ['at a time that is not known', null, -60, null],
])('a chart whose readings began %s shows the time that has readings', (_, since, from, shown) => {
  expect(spanSince(columns, since)).toEqual({ span: [NOON + from * 60, NOON], since: shown })
})
