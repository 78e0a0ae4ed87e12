import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { TrueOrFalse } from '#shared/kernel/fields.ts'
import { completesWith, operationType } from '#shared/kernel/operation-type.ts'
import { Unattended } from './maintenance.ts'

/** `unattended` of the result is the effective state: the configuration of an administrator stays. */
const updatesConfigure = command({
  name: 'updates.configure',
  summary: 'Switch unattended security updates on or off',
  changes: true,
  params: z.object({ unattended: TrueOrFalse }),
  result: z.object({ unattended: Unattended }),
})

/** The dashboard starts it if a server differs from the setting, whose change requires `admin`. */
export const updatesConfigureType = operationType({
  name: 'Configure unattended updates',
  title: 'Configure unattended updates on',
  target: 'server',
  command: updatesConfigure,
  right: 'admin',
  params: updatesConfigure.params,
  confirms: {},
  outcome: completesWith(updatesConfigure.result),
  unrecorded: 'of a server',
  bulk: null,
})
