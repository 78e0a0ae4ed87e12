import { createHash } from 'node:crypto'
import { sliceOf, UNITS, WANTS } from '#agent/kernel/services/systemd.ts'
import { LIBRARY } from '#agent/kernel/site/paths.ts'

/** systemd creates it, with a folder for each site that only its user can enter. */
export const OBJECTS = 'hosting-objects'
export const SOCKET = 'objects.sock'
/** What the folder of a user is the hash of; the program in PHP computes it, too. */
export const SALT = 'hosting-objects '

/** As the sockets of PHP-FPM: every process can list their paths, so they name no site. */
export function folderOf(user: string): string {
  const hash = createHash('sha256').update(`${SALT}${user}`).digest('hex')
  return `${OBJECTS}/${hash.slice(0, 32)}`
}

export const socketOf = (user: string) => `/run/${folderOf(user)}/${SOCKET}`

export const unitOf = (user: string) => `hosting-objects@${user}.service`
export const unitPathOf = (user: string) => `${UNITS}/${unitOf(user)}`
export const wantsPathOf = (user: string) => `${WANTS}/${unitOf(user)}`
/** The kernel's list of its processes. */
export const processesOf = (user: string) =>
  `/sys/fs/cgroup/hosting.slice/${sliceOf(user)}/${unitOf(user)}/cgroup.procs`

/** Root's programs, which the drop-in of a site runs. */
export const SERVER_PHP = `${LIBRARY}/object-cache-server.php`
export const CACHE_PHP = `${LIBRARY}/object-cache.php`
export const STORE_PHP = `${LIBRARY}/object-cache-store.php`
export const FUNCTIONS_PHP = `${LIBRARY}/object-cache-functions.php`
