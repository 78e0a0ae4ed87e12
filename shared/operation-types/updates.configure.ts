import { updatesConfigure } from '#shared/commands/updates.configure.ts'
import { completesWith, operationType } from '#shared/operation-type.ts'

/** The dashboard starts it where a server is not as the setting says, which needs `admin` to change. */
export const updatesConfigureType = operationType({
  name: 'Configure unattended updates',
  title: 'Configure unattended updates on',
  target: 'server',
  path: '/exec',
  right: 'admin',
  params: updatesConfigure.params,
  outcome: completesWith(updatesConfigure.result),
  bulk: null,
})
