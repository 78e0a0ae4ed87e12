import type { Host, WriteOptions } from '#agent/host/ports.ts'
import * as effects from '#agent/os/effects/effects.ts'
import { replace } from '#agent/os/effects/generated.ts'
import { slicePathOf } from '#agent/os/services/systemd.ts'
import type { Site } from '#agent/os/site/sites.ts'
import { limitsOn, machineOf } from '#agent/os/site/tiers.ts'
import type { Effect } from '#shared/plan.ts'
import { renderSlice } from './fpm-units.ts'

export type Generated = { path: string; text: string; options?: WriteOptions }

/** The limits of a site, before anything runs in its slice. */
export async function applySlice(host: Host, site: Site): Promise<void> {
  for (const { path, text } of await sliceFile(host, site)) await replace(host, path, text)
}

/** What `applySlice` would do. */
export const applyingSlice = async (host: Host, site: Site): Promise<Effect[]> =>
  effects.generating(host, await sliceFile(host, site))

/** None where systemd does not run. */
export async function sliceFile(host: Host, { user, tier }: Site): Promise<Generated[]> {
  if (host.init !== 'systemd') return []
  const limits = limitsOn(tier, await machineOf(host))
  return [{ path: slicePathOf(user), text: renderSlice(user, limits) }]
}
