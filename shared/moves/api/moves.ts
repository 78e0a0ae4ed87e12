import { strictObject, z } from 'zod'
import { body } from '#shared/kernel/api/body.ts'
import { RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import { Id } from '#shared/kernel/fields.ts'
import { Accept, DryRun } from '#shared/kernel/plan.ts'
import { discard_changes } from '#shared/moves/site.move-back.ts'

export const MoveSite = body({
  server_id: Id.describe('The new server.'),
  accept: Accept.optional(),
  dry_run: DryRun,
}).meta({ id: 'MoveSite' })

export const MoveSiteBack = body({ discard_changes, dry_run: DryRun }).meta({ id: 'MoveSiteBack' })
export const ConfirmMove = body({ dry_run: DryRun }).meta({ id: 'ConfirmMove' })

/** The targets of the DNS entries of a domain. */
const DNS_STATES = ['new', 'former', 'both', 'elsewhere', 'unknown'] as const

export const SiteMove = strictObject({
  other_id: RecordId.describe('The server that forwards to the current one.'),
  other: z.string().describe('Its name.'),
  moved_at: Timestamp,
  tls: z.boolean().describe('Whether it forwards over TLS.'),
}).meta({ id: 'SiteMove', description: 'A move that is not confirmed.' })
export type SiteMove = z.infer<typeof SiteMove>

export const OpenMove = strictObject({
  other: z.string().describe('The name of the other server.'),
  operation_id: z.string().describe('The operation that did not end; a retry ends it.'),
  reason: z.string(),
  undecided: z.boolean().describe('Whether the site may have changed its server.'),
  next_at: Timestamp.nullable().describe(
    'When the dashboard ends it automatically, if both servers are online then.',
  ),
}).meta({
  id: 'OpenMove',
  description:
    'A move that has not ended, or has left something on a server that refused or was unreachable.',
})
export type OpenMove = z.infer<typeof OpenMove>

export const ShownMove = strictObject({
  move: SiteMove.nullable(),
  open: OpenMove.nullable(),
  dns: z.enum(DNS_STATES).describe('Which of the two servers the DNS entries of the domain name.'),
  addresses: z
    .array(z.string())
    .describe('Those of the domain in DNS, as the dashboard sees them.'),
  wanted: z.array(z.string()).describe('Those of the server that has the site.'),
}).meta({ id: 'ShownMove' })
export type ShownMove = z.infer<typeof ShownMove>
