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

const wpCacheFlush = command({
  name: 'wp.cache-flush',
  summary: 'Flush the object cache and the page cache of a WordPress site',
  changes: true,
  params: z.object({ domain: Domain }),
  result: z.object({ domain: ReportedDomain }),
})

export const wpCacheFlushType = operationType({
  name: 'Flush object cache',
  title: 'Flush the object cache of',
  target: 'site',
  command: wpCacheFlush,
  right: 'operate',
  excludes: 'same_site_except_backup',
  params: noParams,
  confirms: SAME_DOMAIN,
  outcome: completesWith(wpCacheFlush.result),
  action: {
    path: 'cache-flush',
    call: 'flushCache',
    summary: 'Flush the object cache and the page cache of a site',
    done: 'Flushed the object cache and emptied the page cache of',
    about:
      'Runs wp cache flush in each of them and empties its page cache. The next visits are slower until both are full again.',
    icon: 'refresh',
    isRare: true,
  },
  bulk: { title: 'Flush object cache of', params: bulkParams({}), words: {} },
})
