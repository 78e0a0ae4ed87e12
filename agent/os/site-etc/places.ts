/**
 * The /etc of sites. Root's alone: a site sees what is mounted for it, and nothing by this path.
 * `shared` is the /etc of all sites; `accounts` has a folder for each of them.
 */
export const SITE_ETC = '/var/lib/hosting-etc'
export const SHARED_ETC = `${SITE_ETC}/shared`
export const ACCOUNTS = `${SITE_ETC}/accounts`
export const accountsOf = (user: string) => `${ACCOUNTS}/${user}`

/** In the sandbox, where `passwd` and `group` of the shared /etc lead. */
const OWN = 'hosting/own'
export const ACCOUNT_FILES = ['passwd', 'group'] as const
export const linkOf = (name: (typeof ACCOUNT_FILES)[number]) => `${OWN}/${name}`

/** A folder of a site's own, mounted where the links of the shared one lead: see sandbox.ts. */
export const ownEtcOf = (user: string) => `${accountsOf(user)}:/etc/${OWN}`
