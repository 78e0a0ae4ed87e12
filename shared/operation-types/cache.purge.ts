import { cachePurge } from '#shared/commands/cache.purge.ts'
import { bulkParams, completesWith, noParams, operationType } from '#shared/operation-type.ts'

export const cachePurgeType = operationType({
  name: 'Clear cache',
  title: 'Clear the cache of',
  target: 'site',
  path: '/exec',
  right: 'operate',
  params: noParams,
  outcome: completesWith(cachePurge.result),
  bulk: { title: 'Clear cache of', params: bulkParams({}), words: {} },
})
