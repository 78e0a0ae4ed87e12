import { strictObject, z } from 'zod'
import { AgentObjectCache } from '#shared/object-cache.ts'
import { siteObjectCacheType } from '#shared/operation-types/site.object-cache.ts'
import { DryRun } from '#shared/plan.ts'
import { body } from './body.ts'

export const ObjectCacheView = strictObject({
  ...AgentObjectCache.shape,
  most: z.int().describe('MB that can be set on the tier of the site.'),
}).meta({ id: 'ObjectCacheView', description: 'The object cache of a site.' })
export type ObjectCacheView = z.infer<typeof ObjectCacheView>

export const SetObjectCache = body({ ...siteObjectCacheType.params.shape, dry_run: DryRun }).meta({
  id: 'SetObjectCache',
})
