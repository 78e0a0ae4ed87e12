import { agentUpgrade } from '#shared/commands/agent.upgrade.ts'
import { bulkParams, completesWith, noParams, operationType } from '#shared/operation-type.ts'

export const agentUpgradeType = operationType({
  name: 'Upgrade agent',
  title: 'Upgrade the agent of',
  target: 'server',
  path: '/exec',
  right: 'operate',
  params: noParams,
  outcome: completesWith(agentUpgrade.result),
  bulk: { title: 'Upgrade agent of', params: bulkParams({}), words: {} },
})
