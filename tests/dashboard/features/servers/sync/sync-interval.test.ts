import { expect, test } from 'bun:test'
import { asksState, nextSyncAfter } from '#dashboard/features/servers/sync/sync-interval.ts'

const SECONDS = [30, 60, 120, 121, 300]

test('a sync waits for the call of the minute that can save it, and otherwise for its interval only', () => {
  expect(SECONDS.map((seconds) => nextSyncAfter(seconds * 1000) / 1000)).toEqual([
    ...[30, 65, 125, 121, 300],
  ])
})

test('the call of the minute asks for the state where that can save a sync', () => {
  expect(SECONDS.map((seconds) => asksState(seconds * 1000))).toEqual([
    ...[true, true, true, false, false],
  ])
})
