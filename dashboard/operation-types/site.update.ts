import { backupFirst } from '#dashboard/backup-first/needed.ts'
import { type Change, NO_CHANGE, type OperationRules } from '#dashboard/operations/rules.ts'
import { refuseUnknownPhp } from '#dashboard/servers/known-php.ts'
import { xmlrpcStatements } from '#dashboard/site-settings/queries.ts'
import { bulkInUse, domainOf, onSite, siteOf, unchangedOtherwise, whenOnline } from './parts.ts'
import { allOf, setSite } from './queries.ts'

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
    return isRisky ? backupFirst(deps, site, { without_backup }) : null
  },
  // An older agent leaves out settings that it does not have.
  succeeded: ({ domain: _, ...settings }, { params }) =>
    allOf(
      setSite(
        Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
      ),
      typeof params.xmlrpc === 'boolean' ? setXmlrpc(params.xmlrpc) : NO_CHANGE,
    ),
}

const setXmlrpc =
  (xmlrpc: boolean): Change =>
  (queries, { site_id }) =>
    site_id === null ? [] : xmlrpcStatements(queries, site_id, xmlrpc)
