import { sitePurge } from '#shared/commands/site.purge.ts'
import { completesWith, noParams, operationType } from '#shared/operation-type.ts'

export const sitePurgeType = operationType({
  name: 'Delete site permanently',
  title: 'Permanently delete',
  target: 'site',
  path: '/exec',
  right: 'admin',
  params: noParams,
  outcome: completesWith(sitePurge.result),
  bulk: null,
})
