import { z } from 'zod'
import type { Tier } from '#shared/kernel/fields.ts'

const MIN_MEMORY = 16
const MAX_MEMORY = 512
export const DEFAULT_OBJECT_MEMORY = 64
/** The sizes of the object cache, in MB, that the page offers. */
export const OBJECT_MEMORIES: readonly number[] = [MIN_MEMORY, 32, 64, 128, 256, MAX_MEMORY]

/** The maximum in MB, which counts as memory of the site, whose tier limits all of its programs. */
export const MAX_OBJECT_MEMORY: Record<Tier, number> = {
  small: 128,
  medium: 256,
  large: MAX_MEMORY,
}

const RULE = `Must be a whole number between ${MIN_MEMORY} and ${MAX_MEMORY}`
export const ObjectMemory = z.number(RULE).int(RULE).min(MIN_MEMORY, RULE).max(MAX_MEMORY, RULE)

/** The object cache in the record of a site; absent when it is off. */
export const ObjectCache = z.object({ memory: ObjectMemory })

/** Returns the effective size: a smaller tier also bounds an earlier setting. */
export const objectCacheLimit = (memory: number, tier: Tier): number =>
  Math.min(memory, MAX_OBJECT_MEMORY[tier])

const Count = z.int().nonnegative()

/** The report of an agent about the object cache of a site. */
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
