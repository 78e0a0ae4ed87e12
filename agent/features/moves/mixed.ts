import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { isMixed } from './catch-up.ts'

/** Throws conflict for a copy whose parts are of different times. */
export async function refuseMixed(host: Host, site: Site): Promise<void> {
  if (!(await isMixed(host, site))) return
  throw conflict(`The copy of ${site.domain} is incomplete: move the site back with its changes`)
}
