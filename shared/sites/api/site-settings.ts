import { strictObject, z } from 'zod'
import { body } from '#shared/kernel/api/body.ts'
import { Count } from '#shared/kernel/api/parts.ts'
import { DryRun } from '#shared/kernel/plan.ts'
import { CHANGE_MESSAGE, isChange, SettingsChange } from '#shared/sites/site.configure.ts'
import {
  Csp,
  Hsts,
  Maintenance,
  PageCache,
  PagePurge,
  PhpSettings,
  TrustedCdn,
  Xmlrpc,
} from '#shared/sites/site-settings.ts'
import { StagingUser } from '#shared/sites/staging.ts'

export const ConfigureSite = body({ ...SettingsChange.shape, dry_run: DryRun })
  .refine(isChange, CHANGE_MESSAGE)
  .meta({
    id: 'ConfigureSite',
    description:
      'Names at least one setting. Settings that are left out stay; null is the default.',
  })

const Range = z.strictObject({
  usual: Count.describe('Without a setting.'),
  most: Count.describe('The most that a setting can ask for on this tier.'),
})

export const SiteSettingsView = strictObject({
  maintenance: Maintenance.nullable().describe('Null: visitors see the site.'),
  basic_auth: z
    .strictObject({ user: StagingUser })
    .nullable()
    .describe('Null: the site is public.'),
  php_settings: PhpSettings.nullable().describe('Null: those of the tier.'),
  page_cache: PageCache.nullable().describe('Null: on, without exclusions.'),
  xmlrpc: Xmlrpc,
  trusted_cdn: TrustedCdn.nullable().describe('Null: visitors connect directly.'),
  page_purge: PagePurge,
  csp: Csp,
  hsts: Hsts,
  php_limits: z.strictObject({
    memory_limit: Range,
    upload: Range,
    execution_time: Range,
    input_vars: Range,
  }),
}).meta({ id: 'SiteSettingsView', description: 'The settings of a site.' })
export type SiteSettingsView = z.infer<typeof SiteSettingsView>
