import { withoutRecords } from '#dashboard/features/domains/dns/stored-changes.ts'
import { settingsStatements } from '#dashboard/features/sites/settings/queries.ts'
import { siteCreate } from '#dashboard/features/sites/site.create.ts'
import { setSite } from '#dashboard/kernel/engine/record-changes.queries.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { copyParamsForAgent, retriedSource, sourceOf } from './copy-source.ts'

/** A failed copy stays recorded like a new site, with the reason, and can be retried. */
export const siteClone: OperationRules<'site.clone'> = {
  ...siteCreate,
  absent: null,
  retry_also: retriedSource,
  params: async (deps, { server }, { from, dns: _dns, ...site }) => {
    const source = await sourceOf(deps, server.id, from)
    return { ...site, from: source.from }
  },
  sent: (params, ...how) => copyParamsForAgent(withoutRecords(params), ...how),
  succeeded:
    ({ settings }) =>
    (queries, subject, at) => [
      ...setSite({ status: 'active', status_reason: '' })(queries, subject, at),
      ...(settings && subject.site_id !== null
        ? settingsStatements(queries, subject.site_id, settings, undefined)
        : []),
    ],
}
