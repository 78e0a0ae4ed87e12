/** Caches and drafts below the home of a site, which WordPress and PHP create again. */
export const EXCLUDED_PATHS = [
  'logs',
  'sessions',
  'tmp',
  'public/wp-content/cache',
  'public/wp-content/upgrade',
  'public/wp-content/upgrade-temp-backup',
]

export const CONFIG_FILE = 'wp-config.php'
export const UPLOADS_FOLDER = 'wp-content/uploads'

const PUBLIC = 'public/'

/** The paths in the document root that a push keeps: caches, and what each site has for itself. */
export const NOT_PUSHED = [
  ...EXCLUDED_PATHS.filter((one) => one.startsWith(PUBLIC)).map((one) => one.slice(PUBLIC.length)),
  CONFIG_FILE,
]
