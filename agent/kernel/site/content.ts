/** Caches and drafts below the home of a site, which WordPress and PHP create again. */
export const EXCLUDED = [
  'logs',
  'sessions',
  'tmp',
  'public/wp-content/cache',
  'public/wp-content/upgrade',
  'public/wp-content/upgrade-temp-backup',
]

export const CONFIG = 'wp-config.php'
export const UPLOADS = 'wp-content/uploads'

const PUBLIC = 'public/'

/** What a push leaves alone, by paths in the document root: caches, and what each site has for itself. */
export const NOT_PUSHED = [
  ...EXCLUDED.filter((one) => one.startsWith(PUBLIC)).map((one) => one.slice(PUBLIC.length)),
  CONFIG,
]
