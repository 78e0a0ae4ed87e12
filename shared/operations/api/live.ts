import { z } from 'zod'
import { Count, RecordId } from '#shared/kernel/api/parts.ts'
import { OperationView } from './operations.ts'

const message = z.string().describe('The last line of its log, or empty.')

/**
 * The data of a `log` event of `GET /api/fleet/events`: which object has changed. Events are
 * numbered from 1 on each connection and none is sent again: a client that reconnects reloads its
 * data.
 */
export const FleetNews = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('operation'),
      message,
      operation: OperationView,
      event_id: Count.describe('The number of its last event; 0 before the first.'),
    }),
    z.strictObject({ kind: z.literal('bulk'), message, id: z.string() }),
    z.strictObject({ kind: z.literal('server'), message, id: RecordId }),
    z.strictObject({
      kind: z.literal('site'),
      message,
      id: RecordId.nullable().describe('Null: any of the sites of the server, or new ones.'),
      server_id: RecordId,
    }),
  ])
  .meta({
    id: 'FleetNews',
    description:
      'An operation started, progressed or ended (at most four times a second, the latest state); or a bulk operation, a server or a site has changed.',
  })
export type FleetNews = z.infer<typeof FleetNews>
