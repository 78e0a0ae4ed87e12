import { z } from 'zod'
import { AccessGrant, isWithin } from '#shared/access/site-access.ts'
import { ClientAccount, isClientWithin } from '#shared/access/site-clients.ts'

/** Who may log in to a site. */
export interface Recorded {
  access?: readonly AccessGrant[] | undefined
  clients?: readonly ClientAccount[] | undefined
}
type Find = (domain: string) => Promise<Recorded | undefined>

/** Of site.access, the only command with such grants. */
const GivesShell = z.object({
  grants: z
    .array(z.unknown())
    .refine((grants) => grants.some((one) => Shell.safeParse(one).success)),
})
const Access = z.object({ domain: z.string(), grants: z.array(AccessGrant) })
const Shell = z.object({ kind: z.literal('shell') })

/**
 * A person with a recorded shell keeps it: a call that removes the shell of somebody else names it
 * too.
 */
export async function givesShell(params: unknown, find: Find): Promise<boolean> {
  if (!GivesShell.safeParse(params).success) return false
  const { data } = Access.safeParse(params)
  if (!data) return true
  const { access = [] } = (await find(data.domain)) ?? {}
  return data.grants.some(
    (grant) => grant.kind === 'shell' && !access.some((former) => isWithin(grant, former)),
  )
}

const GivesClients = z.object({ clients: z.array(z.unknown()).min(1) })
const Clients = z.object({ domain: z.string(), clients: z.array(ClientAccount) })

/** A recorded account stays, with its password. */
export async function givesClient(params: unknown, find: Find): Promise<boolean> {
  if (!GivesClients.safeParse(params).success) return false
  const { data } = Clients.safeParse(params)
  if (!data) return true
  const { clients = [] } = (await find(data.domain)) ?? {}
  return data.clients.some((client) => !clients.some((former) => isClientWithin(client, former)))
}
