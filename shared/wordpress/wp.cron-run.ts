import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain } from '#shared/kernel/fields.ts'
import {
  bulkParams,
  completesWith,
  noParams,
  operationType,
  SAME_DOMAIN,
} from '#shared/kernel/operation-type.ts'

const wpCronRun = command({
  name: 'wp.cron-run',
  summary: 'Run the due events of WordPress on a site',
  changes: true,
  params: z.object({ domain: Domain }),
  result: z.object({
    domain: ReportedDomain,
    events: z.int().nonnegative().max(1e6).describe('How many events ran.'),
  }),
})

export const wpCronRunType = operationType({
  name: 'Run due events',
  title: 'Run the due events of',
  target: 'site',
  command: wpCronRun,
  right: 'operate',
  params: noParams,
  confirms: SAME_DOMAIN,
  outcome: completesWith(wpCronRun.result),
  action: {
    path: 'wordpress-cron-run',
    call: 'runWordpressCron',
    summary: 'Run the due events of WordPress on a site',
    done: 'Ran the due events of',
    about:
      'Runs the scheduled events of WordPress that are due, without waiting for the next turn.',
    icon: 'refresh',
    state: 'active',
    isRare: true,
  },
  unrecorded: { states: ['active'] },
  bulk: { title: 'Run due events of', params: bulkParams({}), words: {} },
})
