import type { Host } from '#agent/host/ports.ts'
import { type Change, deferred, generated } from '#agent/os/effects/change.ts'
import type { Generated } from '#agent/os/effects/generated.ts'
import { onUnits } from '#agent/os/services/index.ts'
import { slicePathOf } from '#agent/os/services/systemd.ts'
import type { Site } from '#agent/os/site/sites.ts'
import { limitsOn, machineOf } from '#agent/os/site/tiers.ts'
import { renderSlice } from './fpm-units.ts'

/** Sets the limits of a site before anything runs in its slice. */
export const slice = (host: Host, site: Site): Change =>
  deferred(async () => generated(host, await sliceFile(host, site)))

export const sliceFile = onUnits(async (host, { user, tier }: Site): Promise<Generated[]> => {
  const limits = limitsOn(tier, await machineOf(host))
  return [{ path: slicePathOf(user), text: renderSlice(user, limits) }]
}, [])
