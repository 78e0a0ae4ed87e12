import { createHash } from 'node:crypto'
import { sliceOf, UNITS, WANTS } from '#agent/kernel/services/systemd.ts'
import { LIBRARY } from '#agent/kernel/site/paths.ts'

/** The folder that systemd creates, with one for each site that only its user can enter. */
export const OBJECTS_FOLDER = 'hosting-objects'
export const SOCKET = 'objects.sock'
/** The beginning of the hashed text of a folder name; the PHP program computes it, too. */
export const FOLDER_SALT = 'hosting-objects '

/** Returns a folder that names no site, as the sockets of PHP-FPM: any process can list them. */
export function folderOf(user: string): string {
  const hash = createHash('sha256').update(`${FOLDER_SALT}${user}`).digest('hex')
  return `${OBJECTS_FOLDER}/${hash.slice(0, 32)}`
}

export const socketOf = (user: string) => `/run/${folderOf(user)}/${SOCKET}`

export const unitOf = (user: string) => `hosting-objects@${user}.service`
export const unitPathOf = (user: string) => `${UNITS}/${unitOf(user)}`
export const wantsPathOf = (user: string) => `${WANTS}/${unitOf(user)}`
/** Returns the kernel's list of its processes. */
export const processesOf = (user: string) =>
  `/sys/fs/cgroup/hosting.slice/${sliceOf(user)}/${unitOf(user)}/cgroup.procs`

/** The programs of root that the drop-in of a site runs. */
export const SERVER_PHP = `${LIBRARY}/object-cache-server.php`
export const CACHE_PHP = `${LIBRARY}/object-cache.php`
export const STORE_PHP = `${LIBRARY}/object-cache-store.php`
export const FUNCTIONS_PHP = `${LIBRARY}/object-cache-functions.php`
