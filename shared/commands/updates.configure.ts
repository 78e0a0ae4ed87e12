import { z } from 'zod'
import { command } from '#shared/command.ts'
import { Unattended } from '#shared/maintenance.ts'

/** `unattended` of the result is what is in effect: the configuration of an administrator stays. */
export const updatesConfigure = command({
  name: 'updates.configure',
  summary: 'Switch unattended security updates on or off',
  changes: true,
  params: z.object({ unattended: z.boolean('Must be true or false') }),
  result: z.object({ unattended: Unattended }),
})
