import { z } from 'zod'
import { KeeperKey, PlaceView } from '#shared/backups/api/backup-place.ts'
import { BackupPlace } from '#shared/backups/backup.ts'
import { BackupSecret, refuseSecret } from '#shared/backups/backup-secret.ts'
import { body } from '#shared/kernel/api/body.ts'
import { Timestamp } from '#shared/kernel/api/parts.ts'

export const DashboardTarget = z
  .strictObject({
    place: PlaceView,
    keeper_key: z.string().nullable().describe('The public key of its keeper; null: it has none.'),
    checked_at: Timestamp.nullable().describe(
      'When the dashboard last wrote to it, and no server could read it; null: not with these settings.',
    ),
  })
  .meta({
    id: 'DashboardTarget',
    description: 'Where the records of the dashboard are saved, without its secret.',
  })
export type DashboardTarget = z.infer<typeof DashboardTarget>

export const SetDashboardTarget = body({
  place: BackupPlace.describe('A local folder is one of the machine of the dashboard.'),
  secret: BackupSecret.optional().describe(
    'Of this target alone. Required for a new place; otherwise the present one stays.',
  ),
  keeper_key: KeeperKey.nullable().default(null),
})
  .superRefine(refuseSecret)
  .meta({ id: 'SetDashboardTarget' })

export const DashboardBackup = z
  .strictObject({
    target: DashboardTarget.nullable().describe(
      'The target of the dashboard, which no server can read; null: there is none.',
    ),
    obstacle: z.string().nullable().describe('Why no backup is made; null: nothing is missing.'),
    requested_at: Timestamp.nullable().describe(
      'When a backup or a check was requested that has not ended; null: none.',
    ),
    tried_at: Timestamp.nullable().describe('When the last attempt ended; null: there was none.'),
    saved_at: Timestamp.nullable().describe('When the last one succeeded; null: none did.'),
    error: z.string().nullable().describe('Why the last attempt failed; null: it did not.'),
    error_code: z
      .enum(['not_ready', 'failed'])
      .nullable()
      .describe('not_ready: what it needs was missing when it was to start, see obstacle.'),
    release_key: z
      .strictObject({
        state: z
          .enum(['saved', 'next', 'not_here', 'not_saved'])
          .describe(
            'saved: the backups hold it, sealed to the recovery kit in use. next: the next backup does. not_here: the settings are sealed, but the key is not on the machine of the dashboard. not_saved: run hosting-control save-release-key there.',
          ),
        since: Timestamp.nullable().describe('Of the first backup that holds it; null: none.'),
      })
      .nullable()
      .describe(
        'Whether the backups hold the key that signs agents, and the settings; null: the dashboard was not installed by scripts/install-dashboard.sh.',
      ),
  })
  .meta({
    id: 'DashboardBackup',
    description: 'The backups of the records of the dashboard in a target of its own.',
  })
export type DashboardBackup = z.infer<typeof DashboardBackup>
