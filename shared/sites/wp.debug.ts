import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain } from '#shared/kernel/fields.ts'
import {
  bulkParams,
  completesWith,
  operationType,
  SAME_DOMAIN,
} from '#shared/kernel/operation-type.ts'
import { DEBUG_HOURS, DEFAULT_DEBUG_HOURS } from '#shared/wordpress/wp-debug.ts'

const moment = z.iso.datetime({ error: 'Must be a time such as 2026-03-01T09:30:00Z' }).max(40)

const wpDebug = command({
  name: 'wp.debug',
  summary: 'Switch the debug log of the WordPress of a site on for a time, or off',
  changes: true,
  minutes: 10,
  params: z.object({
    domain: Domain,
    until: moment.nullable().describe('At most a day ahead; null: off.'),
  }),
  result: z.object({ domain: ReportedDomain, until: moment.nullable() }),
})

const hours = z
  .literal([...DEBUG_HOURS], `Must be ${DEBUG_HOURS.slice(0, -1).join(', ')} or 24, or null`)
  .nullable()
  .default(DEFAULT_DEBUG_HOURS)
  .describe('For how long it is on; null: off.')

export const wpDebugType = operationType({
  name: 'Change debug log',
  title: 'Change the debug log of',
  target: 'site',
  command: wpDebug,
  right: 'operate',
  params: z.object({ hours }),
  confirms: SAME_DOMAIN,
  outcome: completesWith(wpDebug.result),
  bulk: {
    title: 'Change debug log of',
    params: bulkParams({ hours }),
    words: { hours: null },
  },
})
