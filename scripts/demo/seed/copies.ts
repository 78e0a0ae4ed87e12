import type { site_copies, staging_access } from '#dashboard/db/copies-schema.ts'
import type { Sealer } from '#dashboard/trust/seal.ts'
import type { FleetPlan } from '#scripts/demo/fleet/plan.ts'
import { Secret } from '#shared/secret.ts'
import { placesOf } from './stories.ts'

/** Of each staging site: its live site, and what its visitors sign in with. */
export function copyRows(plan: FleetPlan, sealer: Sealer) {
  const places = placesOf(plan)
  const ids = new Map(places.map(({ site }) => [site.plan.domain, site.id]))
  const stagings = places.filter(({ site }) => site.plan.staging_of !== undefined)
  const copies = stagings.map(({ site }): typeof site_copies.$inferInsert => ({
    site_id: site.id,
    original_id: ids.get(site.plan.staging_of ?? '') ?? 0,
  }))
  const access = stagings.map(({ site }): typeof staging_access.$inferInsert => ({
    site_id: site.id,
    user: 'staging',
    password_sealed: sealer.seal('staging password', new Secret('demo-staging-password')),
  }))
  return { copies, access }
}
