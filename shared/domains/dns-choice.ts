import { z } from 'zod'

export const RECORD_TYPES = ['A', 'AAAA', 'CNAME'] as const

/** Matches an API token of Cloudflare, which is sent in a header. */
export const CLOUDFLARE_TOKEN = /^[A-Za-z0-9_-]{20,200}$/

const MAX_RECORDS = 400

/** A record as a plan has shown it. */
const ShownRecord = z.object({
  name: z.string('Name is required').max(253, 'Must have at most 253 characters'),
  type: z.enum(RECORD_TYPES, 'Must be A, AAAA or CNAME'),
  content: z.string('Content is required').max(500, 'Must have at most 500 characters'),
})
export type ShownRecord = z.infer<typeof ShownRecord>

export const ReplacedRecords = z
  .array(ShownRecord, 'Must be a list of records')
  .max(MAX_RECORDS, `Must have at most ${MAX_RECORDS} records`)
  .default([])
  .describe(
    'The records that point elsewhere and are replaced, all of a name, as the plan shows them. 409 with the code `changed_meanwhile` if a name has others by now.',
  )

/** The DNS records that an operation of a site makes at Cloudflare. */
export const DnsChoice = z
  .object({ replace: ReplacedRecords }, 'Must be a JSON object')
  .describe(
    'Creates the missing DNS records of the names of the site, in the zones of the DNS accounts, before the certificate is requested. The records of a name that points elsewhere are unchanged unless `replace` has them. Omitted: no record is changed.',
  )
export type DnsChoice = z.infer<typeof DnsChoice>
