import { bulkInUse, domainOf, IN_USE, siteCall } from '#dashboard/features/backups/rule-parts.ts'
import { NO_CHANGE, type OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'

const HOUR_MS = 3_600_000

/** The record of the agent has the time: the page of the logs reads it there. */
export const wpDebug: OperationRules<'wp.debug'> = {
  ...siteCall,
  ...bulkInUse,
  site: { states: IN_USE, found: false },
  params: ({ clock }, target, { hours }) => ({
    domain: domainOf(target),
    until: hours === null ? null : timestamp(clock, hours * HOUR_MS),
  }),
  succeeded: () => NO_CHANGE,
}
