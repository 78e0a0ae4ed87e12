import { type AskReading, askReadings, type ReadingDeps } from '#agent/kernel/calls/reading.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { readings } from '#agent/readings.ts'

/** What readings need on a machine on which nothing was checked, counted or started. */
export const readingDeps = (host: Host) => ({
  host,
  health: () => [],
  numbers: { list: () => [], changed: 0 },
})

export const idle: ReadingDeps['runner'] = {
  isBusy: () => false,
  since: async () => ({ operations: [], total: 0 }),
  unended: async () => [],
}

/** Asks the readings of the agent on this machine. */
export const askOn = (host: Host): AskReading =>
  askReadings(readings, { ...readingDeps(host), runner: idle }, new AbortController().signal)
