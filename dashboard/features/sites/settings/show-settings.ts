import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { recordActivity } from '#dashboard/kernel/activity/queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import type { ShownStaging } from '#shared/copies/api/copies.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { PHP_RANGES } from '#shared/kernel/php-values.ts'
import type { SiteSettingsView } from '#shared/sites/api/site-settings.ts'
import { SITE_PASSWORD } from './password.ts'
import { findSettings } from './queries.ts'

const UNSET = { maintenance: null, basic_auth: null, php_settings: null, page_cache: null }

export async function showSettings(
  db: Database,
  { id, tier, xmlrpc }: SiteRow,
): Promise<SiteSettingsView> {
  const { domain: _, ...settings } = (await findSettings(db, id))?.settings ?? UNSET_REPORT
  // A change of the site itself may have opened or closed it since.
  const mode = settings.xmlrpc === 'jetpack' ? 'jetpack' : 'on'
  return {
    ...settings,
    xmlrpc: xmlrpc ? mode : 'off',
    php_limits: PHP_RANGES[tier],
  }
}

const UNSET_REPORT = {
  domain: '',
  ...UNSET,
  trusted_cdn: null,
  page_purge: false,
  csp: 'basic',
  hsts: 'on',
  xmlrpc: 'on',
} as const

/** Returns the access for visitors, and records that. Throws 409 without a password. */
export async function showPassword(
  { db, clock, sealer }: Pick<CommonDeps, 'db' | 'clock'> & { sealer: Sealer },
  { server, site, actor }: SiteTarget,
): Promise<ShownStaging> {
  const row = await findSettings(db, site.id)
  const user = row?.settings.basic_auth?.user
  if (!row?.password_sealed || user === undefined)
    throw conflict(`${site.domain} is public: visitors need no password`)
  const password = sealer.open(SITE_PASSWORD, row.password_sealed).reveal()
  const facts = { domain: site.domain, server_id: server.id, user_id: actor }
  await recordActivity(db, entryOf(clock, { type: 'site.visitor_password', ...facts }))
  return { user, password }
}
