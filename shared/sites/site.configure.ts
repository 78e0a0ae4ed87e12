import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain } from '#shared/kernel/fields.ts'
import { NEEDS } from '#shared/kernel/needs.ts'
import {
  bulkParams,
  completesWith,
  operationType,
  SAME_DOMAIN,
} from '#shared/kernel/operation-type.ts'
import {
  BasicAuth,
  Csp,
  Hsts,
  Maintenance,
  PageCache,
  PagePurge,
  PhpSettings,
  TrustedCdn,
  Xmlrpc,
} from './site-settings.ts'
import { StagingUser } from './staging.ts'

/** The changes; omitted settings stay as they are, and null is the default. */
const changes = {
  maintenance: Maintenance.nullable().optional(),
  php_settings: PhpSettings.nullable().optional(),
  page_cache: PageCache.nullable().optional(),
  xmlrpc: Xmlrpc.optional(),
  trusted_cdn: TrustedCdn.nullable().optional(),
  page_purge: PagePurge.nullable().optional(),
  csp: Csp.nullable().optional(),
  hsts: Hsts.nullable().optional(),
}

/** The report of all settings after the change. */
export const SettingsReport = z.object({
  domain: ReportedDomain,
  maintenance: Maintenance.nullable(),
  basic_auth: BasicAuth.pick({ user: true }).nullable(),
  php_settings: PhpSettings.nullable(),
  page_cache: PageCache.nullable(),
  xmlrpc: Xmlrpc,
  trusted_cdn: TrustedCdn.nullable(),
  page_purge: PagePurge,
  csp: Csp,
  hsts: Hsts,
})
export type SettingsReport = z.output<typeof SettingsReport>

const siteConfigure = command({
  name: 'site.configure',
  summary:
    'Set the PHP settings, maintenance page, password, page cache, access to xmlrpc.php, trusted CDN and security headers of a site',
  changes: true,
  needs: ({ page_purge }) => (page_purge ? NEEDS.page_purge : undefined),
  params: z.object({
    domain: Domain,
    ...changes,
    basic_auth: BasicAuth.nullable().optional(),
  }),
  result: SettingsReport,
})

/** The settings in a call: the password is generated. */
export const SettingsChange = z.object({
  ...changes,
  basic_auth: z
    .object({ user: StagingUser })
    .nullable()
    .optional()
    .describe('Visitors need a new password, which is generated; null: they need none.'),
})

const NAMES = [
  'maintenance',
  'basic_auth',
  'php_settings',
  'page_cache',
  'xmlrpc',
  'trusted_cdn',
  'page_purge',
  'csp',
  'hsts',
] as const
export const isChange = (given: { [N in (typeof NAMES)[number]]?: unknown }) =>
  NAMES.some((name) => given[name] !== undefined)
export const CHANGE_MESSAGE = `Must name ${NAMES.slice(0, -1).join(', ')} or ${NAMES.at(-1)}`

export const siteConfigureType = operationType({
  name: 'Change settings',
  title: 'Change the settings of',
  target: 'site',
  command: siteConfigure,
  right: 'operate',
  params: SettingsChange,
  confirms: {
    ...SAME_DOMAIN,
    xmlrpc: 'xmlrpc',
    page_purge: 'page_purge',
    'basic_auth.user': 'basic_auth.user',
    csp: 'csp',
    hsts: 'hsts',
  },
  outcome: completesWith(siteConfigure.result),
  bulk: {
    title: 'Change settings of',
    params: bulkParams(changes).refine(isChange, CHANGE_MESSAGE),
    words: {
      maintenance: null,
      php_settings: null,
      page_cache: null,
      xmlrpc: 'xmlrpc.php',
      trusted_cdn: null,
      page_purge: null,
      csp: 'content security policy',
      hsts: 'HSTS',
    },
  },
})
