import { docrootOf, HOMES, homeOf } from '#shared/kernel/site-identity.ts'

export const CONFIGURATION = '/etc/hosting'
export const LOGS = '/var/log/hosting'
export const CACHES = '/var/cache/hosting'

/** The paths of a site. The dashboard computes the first ones too. */
export { docrootOf, HOMES, homeOf }
/** Beside the homes, so that a home comes here by one rename; root's alone, and no user has its name. */
export const TRASH = `${HOMES}/.trash`
export const trashOf = (user: string) => `${TRASH}/${user}`
export const keptHomeOf = (user: string) => `${trashOf(user)}/home`
/** Beside the homes, so that files move by one rename; root's alone, and no user has its name. */
export const RESTORES = `${HOMES}/.restore`
/** All folders that restores of a site have left. */
export const restoresOf = (user: string) => `${RESTORES}/${user}`
/** Logs that nginx and the PHP-FPM master write as root: no site can put a link there. */
export const logsOf = (user: string) => `${LOGS}/${user}`
/** The output of the jobs of a site, which the site writes beside its other logs. */
export const jobsLogOf = (user: string) => `${homeOf(user)}/logs/jobs.log`
/** The runs of jobs by cron(8), in a folder of root beside the logs of nginx. */
export const jobRunsOf = (user: string) => `${logsOf(user)}/jobs.json`
export const logrotatePath = (user: string) => `/etc/logrotate.d/hosting-${user}`
export const pageCacheOf = (user: string) => `${CACHES}/${user}`
export const CERTIFICATES = `${CONFIGURATION}/tls`
/** `fullchain.pem` and `privkey.pem`. */
export const certificateFolder = (domain: string) => `${CERTIFICATES}/${domain}`

export const LIBRARY = '/usr/local/lib/hosting'
/** Root's program that signs somebody in to the WordPress of a site. */
export const LOGIN_PHP = `${LIBRARY}/login.php`
/**
 * The login tokens of a site, which may read and delete them: it could sign anybody in to itself
 * anyway.
 */
export const loginsOf = (user: string) => `${homeOf(user)}/tmp/logins`
export const WP_CLI = `${LIBRARY}/wp-cli.phar`
