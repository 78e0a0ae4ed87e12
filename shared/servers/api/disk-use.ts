import { strictObject, type z } from 'zod'
import { Count, Timestamp } from '#shared/kernel/api/parts.ts'

const measured = Count.nullable()

export const DiskUse = strictObject({
  bytes: measured.describe('The size of the files; null: not measured completely.'),
  files: measured.describe('Files, folders and links; null: not counted.'),
  database_bytes: measured.describe('Null when the database server did not answer.'),
  limit_bytes: Count.describe('The limit of its tier, for files and database together.'),
  limit_files: Count.describe('Of its tier.'),
  measured_at: Timestamp,
}).meta({
  id: 'DiskUse',
  description: 'The disk use of a site, as its agent measured it. The limits are not enforced.',
})
export type DiskUse = z.infer<typeof DiskUse>
