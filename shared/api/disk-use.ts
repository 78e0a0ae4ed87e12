import { z } from 'zod'
import { Count, Timestamp } from './parts.ts'

const measured = Count.nullable()

export const DiskUse = z
  .strictObject({
    bytes: measured.describe('Of the files; null when they could not be measured to the end.'),
    files: measured.describe('Files, folders and links; null when they could not be counted.'),
    database_bytes: measured.describe('Null when the database server did not answer.'),
    limit_bytes: Count.describe('Of its tier, for files and database together.'),
    limit_files: Count.describe('Of its tier.'),
    measured_at: Timestamp,
  })
  .meta({
    id: 'DiskUse',
    description:
      'What a site takes on the disk of its server, as its agent measured it. The limits are not enforced.',
  })
export type DiskUse = z.infer<typeof DiskUse>
