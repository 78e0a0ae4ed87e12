import { z } from 'zod'
import { Domain, Moment } from '#shared/kernel/fields.ts'
import { MAX_SITES } from '#shared/servers/agent.ts'

/** Disk sizes whose sums are exact numbers. */
const measured = z.int().nonnegative().max(1e15)
/**
 * The disk use of a site: `bytes` as allocated, `files` including folders and links, and
 * `database_bytes`. Null when not measured, or incomplete at `measured_at`, which is null before
 * the first attempt. The limits are those of its tier; `limit_bytes` is for files and database.
 */
export const SiteUsage = z.object({
  domain: Domain,
  bytes: measured.nullable(),
  files: measured.nullable(),
  database_bytes: measured.nullable(),
  limit_bytes: measured.positive(),
  limit_files: measured.positive(),
  measured_at: Moment.nullable(),
})
export type SiteUsage = z.infer<typeof SiteUsage>
export const Usage = z.object({ sites: z.array(SiteUsage).max(MAX_SITES) })
