import { type GeneratedFile, MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { CONFIGURATION } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { renderUser } from '#shared/kernel/formats/htpasswd.ts'
import { nginx } from '#shared/kernel/formats/nginx.ts'

/** The folder of passwords, which no program of a site sees. */
export const PASSWORDS_FOLDER = `${CONFIGURATION}/staging`
export const passwordFileOf = (user: string) => `${PASSWORDS_FOLDER}/${user}.htpasswd`

/** Returns the names and passwords of visitors; undefined for a public site. */
const passwordOf = ({ staging, settings }: Site) => staging ?? settings?.basic_auth

/** Returns the file of names and hashes that nginx accepts; none for a public site. */
export function passwordFiles(site: Site): GeneratedFile[] {
  const access = passwordOf(site)
  if (!access) return []
  const text = `# ${MARK_LINE}\n${renderUser(access.user, access.password_hash)}`
  const options = { mode: 0o640, group: 'www-data' }
  return [{ path: passwordFileOf(site.user), text, options }]
}

/** Returns the file of a site that was protected before. */
export const unusedPasswords = (site: Site): string[] =>
  passwordOf(site) ? [] : [passwordFileOf(site.user)]

/**
 * Renders the password that nginx requires before everything except the tokens of ACME. Search
 * engines may read that they are not welcome at a staging site.
 */
export function renderProtection(site: Site): string {
  if (!passwordOf(site)) return ''
  const { user, staging } = site
  return nginx`    auth_basic "${staging ? 'Staging' : 'Protected'} site";
    auth_basic_user_file ${passwordFileOf(user)};
${staging ? '    add_header X-Robots-Tag "noindex, nofollow" always;\n' : ''}`
}

export const renderRobots = ({ staging }: Site): string =>
  staging
    ? `    location = /robots.txt {
        auth_basic off;
        default_type text/plain;
        return 200 "User-agent: *\\nDisallow: /\\n";
    }
`
    : ''

/** Hides this password from WordPress, which would take it for an application password. */
export const passwordParameters = (site: Site): string[] =>
  passwordOf(site) ? ['HTTP_AUTHORIZATION ""'] : []
