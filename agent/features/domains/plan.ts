import * as nginx from '#agent/features/web/nginx.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { certificateFolder } from '#agent/kernel/site/paths.ts'
import { type Site, siteRecord } from '#agent/kernel/site/sites.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import { orderEffects } from './acme.ts'
import { newlyServed, withdrawn } from './certificates.ts'
import { reachedLimit, reasonOf } from './order-ledger.ts'
import { countedOf, keeping, keptCertificate, nextOf, ordering, type Requested } from './present.ts'

/** The effects of `issue`: those of its changes, with an order before them. */
export async function issueEffects(host: Host, requested: Requested): Promise<Effect[]> {
  const next = await nextOf(host, requested)
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
  if (served && (await keptCertificate(host, site)))
    return nginx.serveCertified(host, site).effects()
  return [
    ...(site.tls === 'letsencrypt' ? await orderEffects(host, site) : []),
    ...(await newlyServed(host, site, '', served).effects()),
  ]
}

/** Notes about `issue`. */
export const issueNotes = async (host: Host, requested: Requested): Promise<string[]> =>
  provideNotes(host, await nextOf(host, requested))

/** Why there would be no new certificate. */
export async function provideNotes(host: Host, site: Site): Promise<string[]> {
  if (site.tls !== 'letsencrypt') return []
  const kept = await keptCertificate(host, site)
  if (kept) return [keeping(kept)]
  const counted = await countedOf(host, site, ordering(allNamesOf(site)))
  const reached = await reachedLimit(host, counted)
  return reached ? [`No new certificate: ${reasonOf(reached)}`] : []
}
