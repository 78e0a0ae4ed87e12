import type { Bus } from '#dashboard/runtime/bus.ts'
import type { Clock } from '#dashboard/runtime/clock.ts'
import type { Limits } from '#dashboard/runtime/limits.ts'
import type { Log } from '#dashboard/runtime/log.ts'
import type { Random } from '#dashboard/runtime/random.ts'
import type { Database } from './client.ts'

/** The effects and limits that most of the dashboard uses; each module picks those that it needs. */
export interface Base extends Limits {
  db: Database
  bus: Bus
  clock: Clock
  log: Log
  random: Random
}
