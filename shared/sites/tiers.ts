import type { Tier } from '#shared/kernel/fields.ts'

/** The number of PHP processes of a site, MB of each (memory_limit), and MB of all programs. */
export const TIER_SIZES: Record<Tier, { processes: number; each: number; all: number }> = {
  small: { processes: 5, each: 128, all: 640 },
  medium: { processes: 10, each: 256, all: 1280 },
  large: { processes: 25, each: 512, all: 3072 },
}
