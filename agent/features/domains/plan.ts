import * as nginx from '#agent/features/web/nginx.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import * as files from '#agent/kernel/site/certificate-files.ts'
import { certificateFolder } from '#agent/kernel/site/paths.ts'
import { type Site, siteRecord } from '#agent/kernel/site/sites.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import { planOrder } from './acme.ts'
import { reachedLimit, reasonOf } from './order-ledger.ts'
import { countedOf, keeping, keptCertificate, nextOf, ordering, type Requested } from './present.ts'

/** What `issue` would do. */
export async function planIssue(host: Host, requested: Requested): Promise<Effect[]> {
  const next = await nextOf(host, requested)
  const record = await siteRecord(host, next).effects()
  if (next.tls !== 'none') return [...(await planProvide(host, next)), ...record]
  if (!(await nginx.certificateOf(host, next.domain))) return record
  return [
    effects.change('database', next.user),
    ...(await nginx.apply(host, next, undefined).effects()),
    effects.remove('folder', certificateFolder(next.domain)),
    ...record,
  ]
}

/** The effects of `provide` for a site with or without a certificate. */
export async function planProvide(host: Host, site: Site): Promise<Effect[]> {
  const served = await nginx.certificateOf(host, site.domain)
  if (served && (await keptCertificate(host, site))) return nginx.planServe(host, site)
  return [
    ...(site.tls === 'letsencrypt' ? await planOrder(host, site) : []),
    ...(await files.planInstall(host, site.domain)),
    ...(await nginx.planServe(host, site)),
    ...(served ? [] : [effects.change('database', site.user)]),
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
