import { z } from 'zod'
import type { Tier } from '#shared/kernel/fields.ts'

const LEAST = 16
const MOST = 512
export const DEFAULT_OBJECT_MEMORY = 64
/** The sizes of the object cache, in MB, that the page offers. */
export const OBJECT_MEMORIES: readonly number[] = [LEAST, 32, 64, 128, 256, MOST]

/** MB: it counts as memory of the site, whose tier limits all of its programs. */
export const MAX_OBJECT_MEMORY: Record<Tier, number> = { small: 128, medium: 256, large: MOST }

const RULE = `Must be a whole number between ${LEAST} and ${MOST}`
export const ObjectMemory = z.number(RULE).int(RULE).min(LEAST, RULE).max(MOST, RULE)

/** In the record of a site; absent: it is off. */
export const ObjectCache = z.object({ memory: ObjectMemory })

/** A smaller tier also bounds what was set before. */
export const objectCacheLimit = (memory: number, tier: Tier): number =>
  Math.min(memory, MAX_OBJECT_MEMORY[tier])

const Count = z.int().nonnegative()

/** What an agent reports of the object cache of a site. */
export const AgentObjectCache = z.object({
  memory: z.int().nullable().describe('MB that are set; null: it is off.'),
  limit: z.int().nullable().describe('MB that the tier leaves of them.'),
  numbers: z
    .object({
      used: Count.describe('Bytes, with those of its own.'),
      objects: Count,
      hits: Count.describe('Since it was started.'),
      misses: Count,
      evicted: Count.describe('Objects that were evicted.'),
    })
    .nullable()
    .describe('Null: it does not run, or does not answer.'),
  drop_in: z
    .enum(['own', 'other', 'none'])
    .describe('The owner of the file wp-content/object-cache.php of the site.'),
  other: z.string().max(100).nullable().describe('The plugin that another one names.'),
})
export type AgentObjectCache = z.infer<typeof AgentObjectCache>
