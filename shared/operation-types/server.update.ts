import { serverUpdate } from '#shared/commands/server.update.ts'
import { bulkParams, completesWith, operationType } from '#shared/operation-type.ts'

export const serverUpdateType = operationType({
  name: 'Install updates',
  title: 'Install updates on',
  target: 'server',
  path: '/exec',
  right: 'operate',
  params: serverUpdate.params,
  outcome: completesWith(serverUpdate.result),
  bulk: {
    title: 'Install updates on',
    params: bulkParams(serverUpdate.params.shape),
    words: { scope: null, restart_database: null },
  },
})
