import { serverProvision } from '#shared/commands/server.provision.ts'
import { bulkParams, completesWith, operationType } from '#shared/operation-type.ts'

export const serverProvisionType = operationType({
  name: 'Provision server',
  title: 'Provision',
  target: 'server',
  path: '/exec',
  right: 'operate',
  params: serverProvision.params,
  outcome: completesWith(serverProvision.result),
  bulk: {
    title: 'Provision',
    params: bulkParams(serverProvision.params.shape),
    words: { php_versions: 'PHP', accept: null },
  },
})
