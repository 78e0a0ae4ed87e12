import { siteRestore } from '#shared/commands/site.restore.ts'
import { bulkParams, completesWith, operationType } from '#shared/operation-type.ts'
import { Accept } from '#shared/plan.ts'

export const siteRestoreType = operationType({
  name: 'Restore site',
  title: 'Restore',
  target: 'site',
  path: '/exec',
  right: 'operate',
  params: siteRestore.params.omit({ domain: true }),
  outcome: completesWith(siteRestore.result),
  bulk: {
    title: 'Restore',
    params: bulkParams({ accept: Accept.optional() }),
    words: { accept: null },
  },
})
