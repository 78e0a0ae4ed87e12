import { z } from 'zod'
import { Timestamp } from './parts.ts'

export const DashboardBackup = z
  .strictObject({
    target: z.string().nullable().describe('The default target; null: there is none.'),
    obstacle: z.string().nullable().describe('Why no backup is made; null: nothing is missing.'),
    requested_at: Timestamp.nullable().describe(
      'When a backup was requested that has not ended; null: none.',
    ),
    tried_at: Timestamp.nullable().describe('When the last attempt ended; null: there was none.'),
    saved_at: Timestamp.nullable().describe('When the last one succeeded; null: none did.'),
    error: z.string().nullable().describe('Why the last attempt failed; null: it did not.'),
    error_code: z
      .enum(['not_ready', 'failed'])
      .nullable()
      .describe('not_ready: what it needs was missing when it was to start, see obstacle.'),
  })
  .meta({
    id: 'DashboardBackup',
    description: 'The backups of the records of the dashboard in the default target.',
  })
export type DashboardBackup = z.infer<typeof DashboardBackup>
