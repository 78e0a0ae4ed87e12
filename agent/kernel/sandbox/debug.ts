import { homeOf, LIBRARY } from '#agent/kernel/site/paths.ts'
import type { Staging } from '#shared/sites/staging.ts'
import { stagingSettings } from './staging.ts'

interface DebuggableSite {
  staging?: Staging | undefined
  debug?: { until: string } | undefined
}

/** The paths of the files, which every server with sites has. */
export const DEBUG_PHP = `${LIBRARY}/debug.php`
export const STAGING_DEBUG_PHP = `${LIBRARY}/staging-debug.php`

/** Returns the file to which WordPress writes its debug log, which nginx does not serve. */
export const debugLogOf = (user: string) => `${homeOf(user)}/logs/wordpress-debug.log`

/** The size in bytes above which PHP of the pool does not write to the log until it is rotated. */
export const MAX_DEBUG_LOG = 50 << 20

/** The variables of the pool for DEBUG_PHP. */
export const UNTIL_VARIABLE = 'HOSTING_DEBUG_UNTIL'
export const LOG_VARIABLE = 'HOSTING_DEBUG_LOG'

/** Returns settings of the pool that the site cannot change, as `name=value`. */
export function poolSettings(site: DebuggableSite): string[] {
  if (!site.debug) return stagingSettings(site)
  return [`auto_prepend_file=${site.staging ? STAGING_DEBUG_PHP : DEBUG_PHP}`]
}

/** Returns the variables. PHP compares the time (s since 1970) by itself. */
export function debugVariables({
  user,
  debug,
}: DebuggableSite & { user: string }): Record<string, string> {
  if (!debug) return {}
  const until = Math.floor(Date.parse(debug.until) / 1000)
  return { [UNTIL_VARIABLE]: `${until}`, [LOG_VARIABLE]: debugLogOf(user) }
}
