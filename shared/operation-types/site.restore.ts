import { siteRestore } from '../commands/site.restore.ts'
import { bulkParams, completesWith, noParams, operationType } from '../operation-type.ts'

export const siteRestoreType = operationType({
  name: 'Restore site',
  title: 'Restore',
  target: 'site',
  path: '/exec',
  right: 'operate',
  params: noParams,
  outcome: completesWith(siteRestore.result),
  bulk: { title: 'Restore', params: bulkParams({}), words: {} },
})
