import * as nginx from '#agent/features/web/nginx.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { certificateFolder } from '#agent/kernel/site/paths.ts'
import { type Site, siteRecord } from '#agent/kernel/site/sites.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import { orderEffects } from './acme.ts'
import { newlyServed, withdrawn } from './certificates.ts'
import {
  countedOrder,
  namesToOrder,
  type RequestedTls,
  reusableCertificate,
  reuseMessage,
  siteWithTls,
} from './current-certificate.ts'
import { reachedLimit, reasonOf } from './order-limits.ts'

/** The effects of `issue`: those of its changes, with an order before them. */
export async function issueEffects(host: Host, requested: RequestedTls): Promise<Effect[]> {
  const next = await siteWithTls(host, requested)
  const record = await siteRecord(host, next).effects()
  if (next.tls !== 'none') return [...(await provideEffects(host, next)), ...record]
  if (!(await nginx.certificateOf(host, next.domain))) return record
  return [
    ...(await withdrawn(host, next).effects()),
    effects.remove('folder', certificateFolder(next.domain)),
    ...record,
  ]
}

/** The same of a certificate for a site, with or without one. */
export async function provideEffects(host: Host, site: Site): Promise<Effect[]> {
  const served = await nginx.certificateOf(host, site.domain)
  if (served && (await reusableCertificate(host, site)))
    return nginx.serveCertified(host, site).effects()
  return [
    ...(site.tls === 'letsencrypt' ? await orderEffects(host, site) : []),
    ...(await newlyServed(host, site, '', served).effects()),
  ]
}

export const issueNotes = async (host: Host, requested: RequestedTls): Promise<string[]> =>
  provideNotes(host, await siteWithTls(host, requested))

/** Returns why there would be no new certificate. */
export async function provideNotes(host: Host, site: Site): Promise<string[]> {
  if (site.tls !== 'letsencrypt') return []
  const kept = await reusableCertificate(host, site)
  if (kept) return [reuseMessage(kept)]
  const counted = await countedOrder(host, site, namesToOrder(allNamesOf(site)))
  const reached = await reachedLimit(host, counted)
  return reached ? [`No new certificate: ${reasonOf(reached)}`] : []
}
