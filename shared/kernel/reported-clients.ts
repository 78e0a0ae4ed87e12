import { z } from 'zod'

/** The maximum number of client accounts of one site. */
export const MAX_CLIENTS = 20

/** The unique part of a login name. */
export const ClientToken = z
  .string('Must be a string')
  .regex(/^[a-z2-7]{8}$/, 'Must have 8 of a-z 2-7')

/** The accounts in the report of an agent: those that are on the server as they were set. */
export const ReportedClients = z
  .array(
    z.object({
      token: ClientToken,
      login: z.string().regex(/^[a-z_][a-z0-9_.-]{0,31}$/),
      expires_at: z.string().max(30).nullable(),
    }),
  )
  .max(MAX_CLIENTS)
