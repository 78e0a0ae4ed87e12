import { z } from 'zod'
import { backupFirstOfSite } from '#dashboard/features/backups/backup-first/backup-needed.ts'
import {
  bulkInUse,
  domainOf,
  onSite,
  siteOf,
  unchangedOtherwise,
  whenOnline,
} from '#dashboard/features/backups/rule-parts.ts'
import { xmlrpcStatements } from '#dashboard/features/sites/settings/queries.ts'
import { allChanges, setSite } from '#dashboard/kernel/engine/record-changes.queries.ts'
import {
  NO_CHANGE,
  type OperationRules,
  type RecordChange,
} from '#dashboard/kernel/engine/rules.ts'
import { refuseUnknownPhp } from '#dashboard/kernel/targets/refuse-unknown-php.ts'
import { PhpVersion, Tier } from '#shared/kernel/fields.ts'

/** What the operation has set; the others are as before. */
const Settings = z.object({
  php: PhpVersion.exactOptional(),
  tier: Tier.exactOptional(),
  database_routines: z.boolean().exactOptional(),
  xmlrpc: z.boolean().exactOptional(),
})

export const siteUpdate: OperationRules<'site.update'> = {
  ...onSite,
  ...whenOnline,
  ...bulkInUse,
  ...unchangedOtherwise,
  params: (_, target, { without_backup: _skips, ...change }) => {
    if (change.php !== undefined) refuseUnknownPhp(target.server, change.php)
    return { domain: domainOf(target), ...change }
  },
  backup_first: async (deps, target, { php, without_backup }) => {
    const site = siteOf(target)
    const isRisky = php !== undefined && php !== site.php
    return isRisky ? backupFirstOfSite(deps, site, { without_backup }) : null
  },
  succeeded: (_, { params }) => {
    const settings = Settings.parse(params)
    return allChanges(
      setSite(settings),
      settings.xmlrpc === undefined ? NO_CHANGE : setXmlrpc(settings.xmlrpc),
    )
  },
}

const setXmlrpc =
  (xmlrpc: boolean): RecordChange =>
  (queries, { site_id }) =>
    site_id === null ? [] : xmlrpcStatements(queries, site_id, xmlrpc)
