import { globOf } from '#agent/features/existing/web/glob.ts'
import type { NginxServers } from '#agent/features/existing/web/nginx-servers.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { conflict } from '#shared/kernel/errors.ts'

/** The folders that Debian's nginx, or only nginx.org's package, reads. */
const FOLDERS = ['/etc/nginx/sites-enabled', '/etc/nginx/conf.d'] as const
/** The prefixes of links. Sites come after foreign servers: the first serves unknown names. */
export const PREFIXES = ['hosting-', 'zz-hosting-'] as const

export const availablePath = (domain: string) => `/etc/nginx/sites-available/hosting-${domain}.conf`

export const linksOf = (domain: string): string[] =>
  FOLDERS.flatMap((folder) => PREFIXES.map((prefix) => `${folder}/${prefix}${domain}.conf`))

export async function findLink({ files }: Pick<Host, 'files'>, domain: string) {
  const paths = linksOf(domain)
  const found = await Promise.all(paths.map((path) => files.stat(path)))
  return paths.find((_, at) => found[at] !== undefined)
}

/** Returns the path at which nginx reads the virtual host of a new site. Throws conflict. */
export function linkFor({ others, includes }: NginxServers, domain: string): string {
  const name = `${others.length > 0 ? PREFIXES[1] : PREFIXES[0]}${domain}.conf`
  const patterns = includes.map(globOf)
  const isRead = (folder: string) =>
    patterns.some((matches) => matches(`${folder}/zz-hosting-a.conf`))
  // Nothing is included before nginx is installed: the default is Debian's.
  const folder = includes.length === 0 ? FOLDERS[0] : FOLDERS.find(isRead)
  if (folder !== undefined) return `${folder}/${name}`
  throw conflict(
    `nginx reads neither ${FOLDERS.join(' nor ')}: include one of them in /etc/nginx/nginx.conf`,
  )
}
