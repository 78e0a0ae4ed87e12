import type { Bus } from '#dashboard/kernel/runtime/bus.ts'
import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import type { Log } from '#dashboard/kernel/runtime/log.ts'
import type { Random } from '#dashboard/kernel/runtime/random.ts'
import type { TimeLimits } from '#dashboard/kernel/runtime/time-limits.ts'
import type { Database } from './client.ts'

/** The effects and limits that most of the dashboard uses; each module picks those that it needs. */
export interface CommonDeps extends TimeLimits {
  db: Database
  bus: Bus
  clock: Clock
  log: Log
  random: Random
}
