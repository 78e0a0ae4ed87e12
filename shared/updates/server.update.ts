import { z } from 'zod'
import { without_backup } from '#shared/backups/without-backup.ts'
import { command } from '#shared/kernel/command.ts'
import { TrueOrFalse } from '#shared/kernel/fields.ts'
import { bulkParams, completesWith, operationType } from '#shared/kernel/operation-type.ts'

const UPDATE_SCOPES = ['security', 'all'] as const

const UpdateScope = z.enum(UPDATE_SCOPES, { error: 'Must be security or all' })
const names = z.array(z.string().max(200)).max(3000)

/** Installed packages stay: an upgrade of packages cannot be undone. */
export const serverUpdate = command({
  name: 'server.update',
  summary: 'Install package updates, and restart programs with replaced files',
  changes: true,
  minutes: 60,
  silent_minutes: 10,
  params: z.object({
    scope: UpdateScope.default('security').describe(
      'security: those of Debian’s security archive; all: every package that has a newer version.',
    ),
    restart_database: TrueOrFalse.default(false).describe(
      'Whether MariaDB is restarted when it runs replaced files: sites are unavailable for some seconds.',
    ),
  }),
  result: z.object({ packages: names, restarted: names, reboot_needed: z.boolean() }),
})

export const serverUpdateType = operationType({
  name: 'Install updates',
  title: 'Install updates on',
  target: 'server',
  command: serverUpdate,
  right: 'operate',
  params: serverUpdate.params.extend({ without_backup }),
  confirms: {},
  outcome: completesWith(serverUpdate.result),
  bulk: {
    title: 'Install updates on',
    params: bulkParams({ ...serverUpdate.params.shape, without_backup }),
    words: { scope: null, restart_database: null, without_backup: null },
  },
})
