import { siteDelete } from '#shared/commands/site.delete.ts'
import { bulkParams, completesWith, noParams, operationType } from '#shared/operation-type.ts'

export const siteDeleteType = operationType({
  name: 'Delete site',
  title: 'Delete',
  target: 'site',
  path: '/exec',
  right: 'operate',
  params: noParams,
  outcome: completesWith(siteDelete.result),
  bulk: { title: 'Delete', params: bulkParams({}), words: {} },
})
