import { isolationCheck } from '#shared/commands/isolation.check.ts'
import { bulkParams, completesWith, noParams, operationType } from '#shared/operation-type.ts'

export const isolationCheckType = operationType({
  name: 'Check isolation',
  title: 'Check the isolation of',
  target: 'server',
  path: '/exec',
  right: 'operate',
  params: noParams,
  outcome: completesWith(isolationCheck.result),
  bulk: { title: 'Check isolation of', params: bulkParams({}), words: {} },
})
