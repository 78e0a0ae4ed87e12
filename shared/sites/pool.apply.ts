import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { PhpVersion, SiteSystemUser, Tier } from '#shared/kernel/fields.ts'
import { bulkParams, completesWith, operationType } from '#shared/kernel/operation-type.ts'

const poolApply = command({
  name: 'pool.apply',
  summary: 'Resize the PHP-FPM pool of a system user',
  changes: true,
  minutes: 10,
  params: z.object({ user: SiteSystemUser, php_version: PhpVersion, tier: Tier }),
  result: z.object({ tier: Tier }),
})

/** User and PHP version default to those of the site. */
export const poolApplyType = operationType({
  name: 'Change tier',
  title: 'Change the tier of',
  target: 'site',
  command: poolApply,
  right: 'operate',
  excludes: 'same_site_except_backup',
  params: poolApply.params.partial({ user: true, php_version: true }),
  confirms: { tier: 'tier' },
  outcome: completesWith(poolApply.result),
  bulk: { title: 'Change tier of', params: bulkParams({ tier: Tier }), words: { tier: 'tier' } },
})
