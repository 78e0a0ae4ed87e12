import { serviceRestart } from '#shared/commands/service.restart.ts'
import { bulkParams, completesWith, operationType } from '#shared/operation-type.ts'

export const serviceRestartType = operationType({
  name: 'Restart service',
  title: 'Restart a service of',
  target: 'server',
  path: '/exec',
  right: 'operate',
  params: serviceRestart.params,
  outcome: completesWith(serviceRestart.result),
  bulk: {
    title: 'Restart service of',
    params: bulkParams(serviceRestart.params.shape),
    words: { service: 'service' },
  },
})
