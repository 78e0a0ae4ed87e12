import { isDeepStrictEqual } from 'node:util'
import type { Host } from '#agent/host/ports.ts'
import { getSite, type Site } from '#agent/os/site/sites.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { type AccessGrant, endOf, isWithin } from '#shared/site-access.ts'

type Params = Pick<ParamsOf<'site.access'>, 'domain' | 'grants'>

export const isReached = (site: Site, { grants }: Params): boolean =>
  isDeepStrictEqual(site.access ?? [], grants)

/** Whether somebody loses access and nobody gains any: nothing may be a reason to refuse it. */
export async function onlyTakes(host: Host, params: Params): Promise<boolean> {
  const { access = [] } = await getSite(host, params.domain)
  const isKnown = (grant: AccessGrant) => access.some((former) => isWithin(grant, former))
  return params.grants.every(isKnown) && (await loses(host, params))
}

/** Whether a key loses its access, or its sessions must end earlier. Others can log in again. */
export async function loses(host: Host, { domain, grants }: Params): Promise<boolean> {
  const { access = [] } = await getSite(host, domain)
  return access.some((former) => {
    const grant = grants.find(({ id }) => id === former.id)
    if (!grant || (former.kind === 'shell' && grant.kind !== 'shell')) return true
    return endOf(grant) < endOf(former) || former.keys.some((key) => !grant.keys.includes(key))
  })
}
