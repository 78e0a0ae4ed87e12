import { isDeepStrictEqual } from 'node:util'
import type { Host } from '#agent/kernel/host/ports.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { type AccessGrant, endOf, isWithin } from '#shared/access/site-access.ts'
import { type ClientAccount, isClientWithin } from '#shared/access/site-clients.ts'
import type { ParamsOf } from '#shared/commands.ts'

type AccessParams = Pick<ParamsOf<'site.access'>, 'domain' | 'grants' | 'clients'>

export const isAccessInPlace = (site: Site, { grants, clients }: AccessParams): boolean =>
  isDeepStrictEqual(site.access ?? [], grants) && isDeepStrictEqual(site.clients ?? [], clients)

/** Returns whether somebody loses access and nobody gains any. Such a change is never refused. */
export async function onlyRemovesAccess(host: Host, params: AccessParams): Promise<boolean> {
  const { access = [], clients = [] } = await getSite(host, params.domain)
  const isKnown = (grant: AccessGrant) => access.some((former) => isWithin(grant, former))
  const isKnownClient = (client: ClientAccount) =>
    clients.some((former) => isClientWithin(client, former))
  const isAllKnown = params.grants.every(isKnown) && params.clients.every(isKnownClient)
  return isAllKnown && (await removesAccess(host, params))
}

/** Returns whether a key or password loses access, or sessions that must end. */
export async function removesAccess(
  host: Host,
  { domain, grants, clients }: AccessParams,
): Promise<boolean> {
  const site = await getSite(host, domain)
  return removesKey(site, grants) || removesPassword(site, clients)
}

const removesPassword = (
  { clients: known = [] }: Site,
  clients: readonly ClientAccount[],
): boolean =>
  known.some((former) => {
    const client = clients.find(({ token }) => token === former.token)
    return !client || endOf(client) < endOf(former) || client.password_hash !== former.password_hash
  })

function removesKey({ access = [] }: Site, grants: readonly AccessGrant[]): boolean {
  return access.some((former) => {
    const grant = grants.find(({ id }) => id === former.id)
    if (!grant || (former.kind === 'shell' && grant.kind !== 'shell')) return true
    return endOf(grant) < endOf(former) || former.keys.some((key) => !grant.keys.includes(key))
  })
}
