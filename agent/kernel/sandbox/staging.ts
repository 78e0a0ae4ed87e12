import { LIBRARY } from '#agent/kernel/site/paths.ts'
import type { Staging } from '#shared/sites/staging.ts'

interface StagingSite {
  staging?: Staging | undefined
}

/** The path of the file, which every server with sites has. */
export const STAGING_PHP = `${LIBRARY}/staging.php`

/** Returns settings of PHP that the site cannot change, as `name=value`. */
export const stagingSettings = ({ staging }: StagingSite): string[] =>
  staging ? [`auto_prepend_file=${STAGING_PHP}`] : []

/** Returns the variable that WordPress reads in wp_get_environment_type(), unless it is set. */
export const stagingVariables = ({ staging }: StagingSite): Record<string, string> =>
  staging ? { WP_ENVIRONMENT_TYPE: 'staging' } : {}
