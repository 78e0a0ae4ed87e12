import { siteCreate } from '#shared/commands/site.create.ts'
import { completesWith, operationType } from '#shared/operation-type.ts'

/** The caller has filled in all that its own call left out. */
export const siteCreateType = operationType({
  name: 'Create site',
  title: 'Create',
  target: 'site',
  path: '/exec',
  right: 'operate',
  params: siteCreate.params,
  outcome: completesWith(siteCreate.result),
  bulk: null,
})
