import type { DnsDeps } from '#dashboard/features/domains/dns/accounts.ts'
import { chosenChanges } from '#dashboard/features/domains/dns/choose-changes.ts'
import { storedChanges } from '#dashboard/features/domains/dns/stored-changes.ts'
import { getSettings } from '#dashboard/features/settings/queries.ts'
import { listOthers } from '#dashboard/features/sites/listing/columns.queries.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import type { EnqueueDeps } from '#dashboard/kernel/engine/enqueue.ts'
import { type PlanDeps, planOf } from '#dashboard/kernel/engine/plan.ts'
import { refuseUnknownPhp } from '#dashboard/kernel/targets/refuse-unknown-php.ts'
import type { User } from '#shared/kernel/api/auth.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import { defaultPhp } from '#shared/php/default-php.ts'
import type { CreateSite, SitePlan } from '#shared/sites/api/sites.ts'
import { refuseTakenDomain, refuseTakenUser } from './queries.ts'
import { makeSiteUser } from './site-user.ts'
import { type StartedSite, startNewSite } from './start-new-site.ts'

type Deps = EnqueueDeps & PlanDeps & Pick<DnsDeps, 'sealer' | 'rules'>

/** Records a site, which the agent makes in the background. */
export async function createSite(
  deps: Deps,
  server: ServerRow,
  { dry_run, accept, dns, ...given }: CreateSite,
  actor: User,
): Promise<SitePlan | StartedSite> {
  const params = await createParams(deps, server, given, actor)
  refuseUnknownPhp(server, params.php)
  if (given.user !== undefined) await refuseTakenUser(deps.db, server.id, given.user)
  if (dry_run) await refuseTakenDomain(deps.db, { domain: params.domain, server_id: server.id })
  const changes = await chosenChanges(deps, server, allNamesOf(params), dns)
  const accepted = { ...params, ...(accept && { accept }), ...storedChanges(changes) }
  if (dry_run) {
    const { plan } = await planOf(deps, { type: 'site.create', server, params: accepted })
    const also_on = await listOthers(deps.db, { domain: params.domain, server_id: server.id })
    return { site: params, plan, also_on }
  }
  return startNewSite(deps, server, { type: 'site.create', site: params, params: accepted, actor })
}

/** Returns the params that the agent receives: defaults fill all omitted fields. */
async function createParams(
  { db, random }: EnqueueDeps,
  { php_versions, os }: ServerRow,
  { domain, tier, tls, ...given }: Omit<CreateSite, 'dry_run' | 'accept' | 'dns'>,
  actor: User,
) {
  const php = given.php ?? defaultPhp(php_versions, (await getSettings(db)).default_php, os)
  const { email = actor.email, user = makeSiteUser(random, domain) } = given
  return { domain, php, tier, tls, email, user }
}
