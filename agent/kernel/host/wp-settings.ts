/** The constants of a wp-config.php that the agent needs. */
export const WP_CONSTANTS: readonly string[] = [
  'DB_NAME',
  'DB_USER',
  'DB_PASSWORD',
  'DB_HOST',
  'DB_CHARSET',
  'WP_CONTENT_DIR',
  'WP_PLUGIN_DIR',
  'MULTISITE',
  'SUBDOMAIN_INSTALL',
  'VHOST',
  'SUNRISE',
  'SITE_ID_CURRENT_SITE',
  'BLOG_ID_CURRENT_SITE',
]
