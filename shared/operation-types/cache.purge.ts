import { cachePurge } from '../commands/cache.purge.ts'
import { bulkParams, completesWith, noParams, operationType } from '../operation-type.ts'

export const cachePurgeType = operationType({
  name: 'Empty cache',
  title: 'Empty the cache of',
  target: 'site',
  path: '/exec',
  right: 'operate',
  params: noParams,
  outcome: completesWith(cachePurge.result),
  bulk: { title: 'Empty cache of', params: bulkParams({}), words: {} },
})
