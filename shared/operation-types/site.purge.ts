import { sitePurge } from '../commands/site.purge.ts'
import { completesWith, noParams, operationType } from '../operation-type.ts'

export const sitePurgeType = operationType({
  name: 'Purge site',
  title: 'Remove for good',
  target: 'site',
  path: '/exec',
  right: 'admin',
  params: noParams,
  outcome: completesWith(sitePurge.result),
  bulk: null,
})
