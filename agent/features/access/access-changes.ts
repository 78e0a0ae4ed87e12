import { isDeepStrictEqual } from 'node:util'
import type { Host } from '#agent/kernel/host/ports.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { type AccessGrant, endOf, isWithin } from '#shared/access/site-access.ts'
import { type ClientAccount, isClientWithin } from '#shared/access/site-clients.ts'
import type { ParamsOf } from '#shared/commands.ts'

type Params = Pick<ParamsOf<'site.access'>, 'domain' | 'grants' | 'clients'>

export const isReached = (site: Site, { grants, clients }: Params): boolean =>
  isDeepStrictEqual(site.access ?? [], grants) && isDeepStrictEqual(site.clients ?? [], clients)

/** Whether somebody loses access and nobody gains any: such a change is never refused. */
export async function onlyTakes(host: Host, params: Params): Promise<boolean> {
  const { access = [], clients = [] } = await getSite(host, params.domain)
  const isKnown = (grant: AccessGrant) => access.some((former) => isWithin(grant, former))
  const isKnownClient = (client: ClientAccount) =>
    clients.some((former) => isClientWithin(client, former))
  const isAllKnown = params.grants.every(isKnown) && params.clients.every(isKnownClient)
  return isAllKnown && (await loses(host, params))
}

/**
 * Whether a key or a password loses its access, or its sessions must end earlier. Others can log in
 * again.
 */
export async function loses(host: Host, { domain, grants, clients }: Params): Promise<boolean> {
  const site = await getSite(host, domain)
  return losesKey(site, grants) || losesPassword(site, clients)
}

const losesPassword = ({ clients: known = [] }: Site, clients: readonly ClientAccount[]): boolean =>
  known.some((former) => {
    const client = clients.find(({ token }) => token === former.token)
    return !client || endOf(client) < endOf(former) || client.password_hash !== former.password_hash
  })

function losesKey({ access = [] }: Site, grants: readonly AccessGrant[]): boolean {
  return access.some((former) => {
    const grant = grants.find(({ id }) => id === former.id)
    if (!grant || (former.kind === 'shell' && grant.kind !== 'shell')) return true
    return endOf(grant) < endOf(former) || former.keys.some((key) => !grant.keys.includes(key))
  })
}
