import { siteUpdate } from '#shared/commands/site.update.ts'
import { PhpVersion, Tier } from '#shared/fields.ts'
import { bulkParams, completesWith, operationType } from '#shared/operation-type.ts'
import { Accept } from '#shared/plan.ts'

export const siteUpdateType = operationType({
  name: 'Change site',
  title: 'Change',
  target: 'site',
  path: '/exec',
  right: 'operate',
  params: siteUpdate.params.omit({ domain: true }),
  outcome: completesWith(siteUpdate.result),
  bulk: {
    title: 'Change',
    params: bulkParams({
      php: PhpVersion.optional(),
      tier: Tier.optional(),
      accept: Accept.optional(),
    }).refine(({ php, tier }) => php !== undefined || tier !== undefined, 'Must name php or tier'),
    words: { php: 'PHP', tier: 'tier', accept: null },
  },
})
