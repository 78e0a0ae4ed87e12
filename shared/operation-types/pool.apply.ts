import { poolApply } from '#shared/commands/pool.apply.ts'
import { Tier } from '#shared/fields.ts'
import { bulkParams, completesWith, operationType } from '#shared/operation-type.ts'

/** User and PHP version are those of the site, when left out. */
export const poolApplyType = operationType({
  name: 'Change tier',
  title: 'Change the tier of',
  target: 'site',
  path: '/exec',
  right: 'operate',
  params: poolApply.params.partial({ user: true, php_version: true }),
  outcome: completesWith(poolApply.result),
  bulk: { title: 'Change tier of', params: bulkParams({ tier: Tier }), words: { tier: 'tier' } },
})
