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
import { DEFAULT_OBJECT_MEMORY, ObjectMemory } from './object-cache.ts'

const siteObjectCache = command({
  name: 'site.object-cache',
  summary: 'Switch the object cache of a WordPress site on, change its memory, or switch it off',
  changes: true,
  needs: ({ memory }) => (memory === null ? undefined : NEEDS.object_cache),
  minutes: 60,
  params: z.object({
    domain: Domain,
    memory: ObjectMemory.nullable().describe('MB; null: off.'),
  }),
  result: z.object({ domain: ReportedDomain, memory: z.int().nullable() }),
})

const params = {
  memory: ObjectMemory.nullable()
    .default(DEFAULT_OBJECT_MEMORY)
    .describe('MB, at most 128, 256 or 512 on the tiers small, medium and large; null: off.'),
}

export const siteObjectCacheType = operationType({
  name: 'Change object cache',
  title: 'Change the object cache of',
  target: 'site',
  command: siteObjectCache,
  right: 'operate',
  params: z.object(params),
  confirms: { ...SAME_DOMAIN, memory: 'memory' },
  outcome: completesWith(siteObjectCache.result),
  bulk: { title: 'Change object cache of', params: bulkParams(params), words: { memory: null } },
})
