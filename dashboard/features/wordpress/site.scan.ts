import {
  bulkInUse,
  domainOf,
  onSite,
  PRESENT,
  unchangedOtherwise,
} from '#dashboard/features/backups/rule-parts.ts'
import { setSite } from '#dashboard/kernel/engine/record-changes.queries.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'

/** The rules of a scan, which is allowed for discovered sites too. */
export const siteScan: OperationRules<'site.scan'> = {
  ...onSite,
  ...bulkInUse,
  ...unchangedOtherwise,
  params: (_, target) => ({ domain: domainOf(target) }),
  site: { states: PRESENT, found: true },
  joins: true,
  waits: { first: false, retry: true },
  succeeded: (inventory, { now }) =>
    setSite({
      wp_version: inventory.wp_version,
      inventory,
      last_scan: now,
      updates_plugins: inventory.updates.plugins,
      updates_themes: inventory.updates.themes,
      updates_core: inventory.updates.core,
    }),
}
