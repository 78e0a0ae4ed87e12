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

const cachePurge = command({
  name: 'cache.purge',
  summary: 'Clear the page cache of a site',
  changes: true,
  minutes: 10,
  params: z.object({ domain: Domain }),
  result: z.object({ domain: ReportedDomain }),
})

export const cachePurgeType = operationType({
  name: 'Clear cache',
  title: 'Clear the cache of',
  target: 'site',
  command: cachePurge,
  right: 'operate',
  excludes: 'same_site_except_backup',
  params: noParams,
  confirms: SAME_DOMAIN,
  outcome: completesWith(cachePurge.result),
  action: {
    path: 'cache-purge',
    call: 'purgeCache',
    summary: 'Clear the page cache of a site',
    done: 'Emptied the page cache of',
    about:
      'Empties the page cache of each of them. The next visits are slower until it is full again.',
    icon: 'flash',
  },
  bulk: { title: 'Clear cache of', params: bulkParams({}), words: {} },
})
