import { strictObject, type z } from 'zod'
import { body } from '#shared/kernel/api/body.ts'
import { Timestamp } from '#shared/kernel/api/parts.ts'
import { DryRun } from '#shared/kernel/plan.ts'
import { Maintenance } from '#shared/updates/maintenance.ts'
import { serverUpdateType } from '#shared/updates/server.update.ts'

export const InstallUpdates = body({
  ...serverUpdateType.params.shape,
  dry_run: DryRun,
}).meta({ id: 'InstallUpdates' })

export const MaintenanceView = strictObject({
  at: Timestamp.nullable().describe('When its agent last reported something new; null: never.'),
  maintenance: Maintenance.nullable().describe('Null until the first check after provisioning.'),
}).meta({ id: 'MaintenanceView', description: 'The updates that its agent reports.' })
export type MaintenanceView = z.infer<typeof MaintenanceView>
