import { z } from 'zod'
import { UpdateScope } from '../commands/server.update.ts'
import { Maintenance } from '../maintenance.ts'
import { DryRun } from '../plan.ts'
import { body } from './body.ts'
import { Timestamp } from './parts.ts'

export const InstallUpdates = body({
  scope: UpdateScope.default('security').describe(
    'security: those of Debian’s security archive; all: every package that has a newer version.',
  ),
  restart_database: z
    .boolean('Must be true or false')
    .default(false)
    .describe(
      'Whether MariaDB is restarted when it runs replaced files: sites are away for some seconds.',
    ),
  dry_run: DryRun,
}).meta({ id: 'InstallUpdates' })

export const MaintenanceView = z
  .strictObject({
    at: Timestamp.nullable().describe('When its agent last reported something new; null: never.'),
    maintenance: Maintenance.nullable().describe(
      'Null until the agent has checked a server that is ready for sites.',
    ),
  })
  .meta({
    id: 'MaintenanceView',
    description: 'The updates of a server, as its agent reports them.',
  })
export type MaintenanceView = z.infer<typeof MaintenanceView>
