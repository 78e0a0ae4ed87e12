import { LIBRARY } from '#agent/kernel/site/paths.ts'
import type { Staging } from '#shared/sites/staging.ts'

interface MaybeStaging {
  staging?: Staging | undefined
}

/** Every server with sites has it. */
export const STAGING_PHP = `${LIBRARY}/staging.php`

/** Settings of PHP that the site cannot change, as `name=value`. */
export const stagingSettings = ({ staging }: MaybeStaging): string[] =>
  staging ? [`auto_prepend_file=${STAGING_PHP}`] : []

/** WordPress reads it in wp_get_environment_type(), unless wp-config.php names another type. */
export const stagingVariables = ({ staging }: MaybeStaging): Record<string, string> =>
  staging ? { WP_ENVIRONMENT_TYPE: 'staging' } : {}
