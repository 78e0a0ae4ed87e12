import { createHash } from 'node:crypto'
import { UNITS, WANTS } from '#agent/kernel/services/systemd.ts'
import { LIBRARY } from '#agent/kernel/site/paths.ts'

export const RUN_FOLDER = '/run/hosting-purge'
/** The beginning of the hashed text of a socket name; the program in the site computes it, too. */
const SALT = 'hosting-purge '

/** Returns a path that names no site, like the sockets of PHP-FPM: every process can list it. */
export function purgeSocketOf(user: string): string {
  const hash = createHash('sha256').update(`${SALT}${user}`).digest('hex')
  return `${RUN_FOLDER}/${hash.slice(0, 32)}.sock`
}

/** The PHP expression for the socket of the user that runs it. */
export const SOCKET_IN_PHP = `'${RUN_FOLDER}/' . substr(hash('sha256', '${SALT}' . $account['name']), 0, 32) . '.sock'`

export const socketUnitOf = (user: string) => `hosting-purge@${user}.socket`
export const serviceUnitOf = (user: string) => `hosting-purge@${user}.service`
export const socketPathOf = (user: string) => `${UNITS}/${socketUnitOf(user)}`
export const servicePathOf = (user: string) => `${UNITS}/${serviceUnitOf(user)}`
export const wantsPathOf = (user: string) => `${WANTS}/${socketUnitOf(user)}`

/** The programs of root: that of the listener, and that of the plugin in a site. */
export const LISTENER_PHP = `${LIBRARY}/page-purge-listener.php`
export const PLUGIN_PHP = `${LIBRARY}/page-purge.php`
