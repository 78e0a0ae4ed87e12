import { z } from 'zod'
import { command } from '../command.ts'

const UPDATE_SCOPES = ['security', 'all'] as const

export const UpdateScope = z.enum(UPDATE_SCOPES, { error: 'Must be security or all' })
const names = z.array(z.string().max(200)).max(3000)

/** What was installed stays: an upgrade of packages cannot be undone. */
export const serverUpdate = command({
  name: 'server.update',
  summary: 'Install updates of packages, and restart what runs the files that they replaced',
  changes: true,
  params: z.object({
    scope: UpdateScope.default('security'),
    /** MariaDB interrupts its sites for some seconds; it is left running where this is false. */
    restart_database: z.boolean('Must be true or false').default(false),
  }),
  result: z.object({ packages: names, restarted: names, reboot_needed: z.boolean() }),
})
