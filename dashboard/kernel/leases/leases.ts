import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { LeaseChange } from './held-leases.ts'
import { SharedLeases } from './shared-leases.ts'

/** The shares of the work that this dashboard does, of several on the same records. */
export interface Leases {
  holds(name: string): boolean
  /**
   * Starts work of these shares: its writes are refused as soon as another dashboard has one of
   * them. Throws StaleLease when that is so already.
   */
  run<T>(names: string | readonly string[], work: () => T): T
  onChange(listener: (change: LeaseChange) => void): void
  /** Checks repeatedly for changes of other dashboards. `look` starts once it has ended. */
  watch(every_ms: number, look: () => Promise<unknown>): void
  start(): Promise<void>
  stop(): Promise<void>
}

export type LeaseDeps = Pick<CommonDeps, 'db' | 'bus' | 'clock' | 'random' | 'log'>

/** The leases of the only dashboard on its records, which has every share. */
const SINGLE_PROCESS: Leases = {
  holds: () => true,
  run: (_, work) => work(),
  onChange: () => undefined,
  watch: () => undefined,
  start: async () => undefined,
  stop: async () => undefined,
}

export function makeLeases(deps: LeaseDeps): Leases {
  return deps.db.is_shared ? new SharedLeases(deps) : SINGLE_PROCESS
}
