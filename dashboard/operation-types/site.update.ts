import type { OperationRules } from '#dashboard/operations/rules.ts'
import { refuseUnknownPhp } from '#dashboard/servers/known-php.ts'
import { bulkInUse, domainOf, onSite, unchangedOtherwise, whenOnline } from './parts.ts'
import { setSite } from './queries.ts'

export const siteUpdate: OperationRules<'site.update'> = {
  ...onSite,
  ...whenOnline,
  ...bulkInUse,
  ...unchangedOtherwise,
  params: (_, target, change) => {
    if (change.php !== undefined) refuseUnknownPhp(target.server, change.php)
    return { domain: domainOf(target), ...change }
  },
  // An older agent leaves out settings that it does not have.
  succeeded: ({ domain: _, ...settings }) =>
    setSite(
      Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
    ),
}
