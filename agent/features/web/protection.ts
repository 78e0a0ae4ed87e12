import { type Generated, MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { CONFIGURATION } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { renderUser } from '#shared/kernel/formats/htpasswd.ts'
import { nginx } from '#shared/kernel/formats/nginx.ts'

/** No program of a site sees this folder. */
export const PASSWORDS = `${CONFIGURATION}/staging`
export const passwordFileOf = (user: string) => `${PASSWORDS}/${user}.htpasswd`

/** What visitors sign in with, before everything else; undefined: the site is public. */
const accessOf = ({ staging, settings }: Site) => staging ?? settings?.basic_auth

/** The names and hashes that nginx accepts; none for a public site. */
export function passwordFiles(site: Site): Generated[] {
  const access = accessOf(site)
  if (!access) return []
  const text = `# ${MARK_LINE}\n${renderUser(access.user, access.password_hash)}`
  const options = { mode: 0o640, group: 'www-data' }
  return [{ path: passwordFileOf(site.user), text, options }]
}

/** The file of a site that was protected before. */
export const unusedPasswords = (site: Site): string[] =>
  accessOf(site) ? [] : [passwordFileOf(site.user)]

/**
 * A protected site asks for a password before everything else, except for the tokens of ACME. Search
 * engines may read that they are not welcome at a staging site.
 */
export function renderProtection(site: Site): string {
  if (!accessOf(site)) return ''
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

/**
 * This password is not one of WordPress, which would take it for an application password and refuse
 * its own editor (wp_validate_application_password).
 */
export const passwordParameters = (site: Site): string[] =>
  accessOf(site) ? ['HTTP_AUTHORIZATION ""'] : []
