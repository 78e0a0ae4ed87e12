import type { Effect } from '#shared/plan.ts'
import type { Host, WriteOptions } from '../host/ports.ts'
import * as effects from './effects.ts'
import { replace } from './generated.ts'
import { renderSlice } from './php-fpm-units.ts'
import { slicePathOf } from './services/systemd.ts'
import type { Site } from './sites.ts'
import { limitsOn, machineOf } from './tiers.ts'

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
