import { strictObject, z } from 'zod'
import { body } from '#shared/kernel/api/body.ts'
import { DryRun } from '#shared/kernel/plan.ts'
import { AgentObjectCache } from '#shared/object-cache/object-cache.ts'
import { siteObjectCacheType } from '#shared/object-cache/site.object-cache.ts'

export const ObjectCacheView = strictObject({
  ...AgentObjectCache.shape,
  most: z.int().describe('MB that can be set on the tier of the site.'),
}).meta({ id: 'ObjectCacheView', description: 'The object cache of a site.' })
export type ObjectCacheView = z.infer<typeof ObjectCacheView>

export const SetObjectCache = body({ ...siteObjectCacheType.params.shape, dry_run: DryRun }).meta({
  id: 'SetObjectCache',
})
