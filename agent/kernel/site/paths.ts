import { docrootOf, HOMES, homeOf } from '#shared/kernel/site-identity.ts'

export const CONFIGURATION = '/etc/hosting'
export const LOGS = '/var/log/hosting'
export const CACHES = '/var/cache/hosting'

/** The paths of a site. The dashboard computes the first ones too. */
export { docrootOf, HOMES, homeOf }
/** The trash, beside the homes for moves by rename; only root enters it, and it is no user name. */
export const TRASH = `${HOMES}/.trash`
export const trashOf = (user: string) => `${TRASH}/${user}`
export const keptHomeOf = (user: string) => `${trashOf(user)}/home`
/** The folder of restores, beside the homes, for moves by rename; only root enters it. */
export const RESTORES = `${HOMES}/.restore`
/** Returns the folder of all that restores of a site have left. */
export const restoresOf = (user: string) => `${RESTORES}/${user}`
/** Returns the folder of logs that nginx and the PHP-FPM master write as root, without links. */
export const logsOf = (user: string) => `${LOGS}/${user}`
/** Returns the output of the PHP-FPM master of a site. */
export const fpmLogOf = (user: string) => `${logsOf(user)}/php-fpm.log`
/** Returns the output of the jobs of a site, which the site writes beside its other logs. */
export const jobsLogOf = (user: string) => `${homeOf(user)}/logs/jobs.log`
/** Returns the runs of jobs by cron(8), in a folder of root beside the logs of nginx. */
export const jobRunsOf = (user: string) => `${logsOf(user)}/jobs.json`
export const logrotatePath = (user: string) => `/etc/logrotate.d/hosting-${user}`
export const pageCacheOf = (user: string) => `${CACHES}/${user}`
export const CERTIFICATES = `${CONFIGURATION}/tls`
/** Returns the folder of `fullchain.pem` and `privkey.pem`. */
export const certificateFolder = (domain: string) => `${CERTIFICATES}/${domain}`

export const LIBRARY = '/usr/local/lib/hosting'
/** Root's program that signs somebody in to the WordPress of a site. */
export const LOGIN_PHP = `${LIBRARY}/login.php`
/** Returns the login tokens of a site; reading them gives it no new right. */
export const loginsOf = (user: string) => `${homeOf(user)}/tmp/logins`
export const WP_CLI = `${LIBRARY}/wp-cli.phar`
