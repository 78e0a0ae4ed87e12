import { homeOf, LIBRARY } from '#agent/kernel/site/paths.ts'
import type { Staging } from '#shared/sites/staging.ts'
import { stagingSettings } from './staging.ts'

interface MaybeDebugged {
  staging?: Staging | undefined
  debug?: { until: string } | undefined
}

/** Every server with sites has them. */
export const DEBUG_PHP = `${LIBRARY}/debug.php`
export const STAGING_DEBUG_PHP = `${LIBRARY}/staging-debug.php`

/** Where WordPress writes while its debug log is on: outside of what nginx serves. */
export const debugLogOf = (user: string) => `${homeOf(user)}/logs/wordpress-debug.log`

/** PHP of the pool leaves the log alone above this size, until it is rotated. In bytes. */
export const LARGEST_DEBUG_LOG = 50 << 20

/** The variables of the pool for DEBUG_PHP. */
export const UNTIL = 'HOSTING_DEBUG_UNTIL'
export const LOG = 'HOSTING_DEBUG_LOG'

/** Settings of the pool that the site cannot change, as `name=value`. */
export function poolSettings(site: MaybeDebugged): string[] {
  if (!site.debug) return stagingSettings(site)
  return [`auto_prepend_file=${site.staging ? STAGING_DEBUG_PHP : DEBUG_PHP}`]
}

/** PHP looks at the time itself, in seconds since 1970, whatever the agent does. */
export function debugVariables({
  user,
  debug,
}: MaybeDebugged & { user: string }): Record<string, string> {
  if (!debug) return {}
  const until = Math.floor(Date.parse(debug.until) / 1000)
  return { [UNTIL]: `${until}`, [LOG]: debugLogOf(user) }
}
