import { serviceRestart } from '../commands/service.restart.ts'
import { bulkParams, completesWith, operationType } from '../operation-type.ts'

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
