import { type Change, deferred, generated } from '#agent/kernel/effects/change.ts'
import type { GeneratedFile } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onUnits } from '#agent/kernel/services/index.ts'
import { slicePathOf } from '#agent/kernel/services/systemd.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { machineOf, tierLimitsOn } from '#agent/kernel/site/tiers.ts'
import { renderSlice } from './fpm-units.ts'

/** Sets the limits of a site before anything runs in its slice. */
export const sliceApplied = (host: Host, site: Site): Change =>
  deferred(async () => generated(host, await sliceFile(host, site)))

export const sliceFile = onUnits(async (host, { user, tier }: Site): Promise<GeneratedFile[]> => {
  const limits = tierLimitsOn(tier, await machineOf(host))
  return [{ path: slicePathOf(user), text: renderSlice(user, limits) }]
}, [])
