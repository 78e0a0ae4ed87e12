/** The /etc of sites, for root: `shared` for all sites; `accounts` has a folder for each. */
export const SITE_ETC = '/var/lib/hosting-etc'
export const SHARED_ETC = `${SITE_ETC}/shared`
export const ACCOUNTS_FOLDER = `${SITE_ETC}/accounts`
export const accountsOf = (user: string) => `${ACCOUNTS_FOLDER}/${user}`

/** The target of `passwd` and `group` of the shared /etc, in the sandbox. */
const OWN_FOLDER = 'hosting/own'
export const ACCOUNT_FILES = ['passwd', 'group'] as const
export const linkOf = (name: (typeof ACCOUNT_FILES)[number]) => `${OWN_FOLDER}/${name}`

/** A folder of the site, mounted at the target of the links in the shared one: see sandbox.ts. */
export const ownEtcOf = (user: string) => `${accountsOf(user)}:/etc/${OWN_FOLDER}`
