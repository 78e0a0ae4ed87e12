import { strictObject, type z } from 'zod'
import { Maintenance } from '#shared/maintenance.ts'
import { serverUpdateType } from '#shared/operation-types/server.update.ts'
import { DryRun } from '#shared/plan.ts'
import { body } from './body.ts'
import { Timestamp } from './parts.ts'

export const InstallUpdates = body({
  ...serverUpdateType.params.shape,
  dry_run: DryRun,
}).meta({ id: 'InstallUpdates' })

export const MaintenanceView = strictObject({
  at: Timestamp.nullable().describe('When its agent last reported something new; null: never.'),
  maintenance: Maintenance.nullable().describe('Null until the first check after provisioning.'),
}).meta({ id: 'MaintenanceView', description: 'The updates that its agent reports.' })
export type MaintenanceView = z.infer<typeof MaintenanceView>
