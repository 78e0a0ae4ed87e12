import { onSite, siteCall, unchangedOtherwise } from '#dashboard/features/backups/rule-parts.ts'
import { NO_CHANGE } from '#dashboard/kernel/engine/rules.ts'

/** The rules of an operation that the dashboard runs; it changes the records itself (moves/). */
export const runByDashboard = {
  ...onSite,
  ...unchangedOtherwise,
  site: { states: ['active'], found: false },
  joins: false,
  waits: { first: false, retry: false },
  succeeded: () => NO_CHANGE,
  bulk: null,
} as const

/** The same rules for a repeated operation; its params refuse a site that no move misses. */
export const repeatableMove = {
  ...runByDashboard,
  site: { states: ['active', 'missing'], found: false },
} as const

/** The rules of a command that only a move uses: no call starts it. */
export const moveCommand = {
  ...siteCall,
  params: <I>(_: unknown, __: unknown, input: I): I => input,
  succeeded: () => NO_CHANGE,
  bulk: null,
} as const
