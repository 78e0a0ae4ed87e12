/**
 * The folder of the sites. Everything of a managed site on its server follows from its system user,
 * which the dashboard decides. Agent and dashboard compute it from the same rules, so a report can
 * only confirm it.
 */
export const HOMES = '/srv/www'

/** Returns the folder of a site, which belongs to root; its content belongs to the user. */
export const homeOf = (user: string) => `${HOMES}/${user}`

export const docrootOf = (user: string) => `${homeOf(user)}/public`

/** Returns the name of the database and its account, which is that of the system user. */
export const databaseOf = (user: string) => user

export interface SiteIdentity {
  user: string
  docroot: string
  db_name: string
}

export const identityOf = (user: string): SiteIdentity => ({
  user,
  docroot: docrootOf(user),
  db_name: databaseOf(user),
})

/** The contradicting values of a report. */
export type ReportedIdentity = Partial<SiteIdentity> & {
  /** The name under which its server has the site, if that is not its domain. */
  domain?: string
  /** A name that the server reports for the site, and the site of the records that it belongs to. */
  foreign?: { name: string; domain: string }
}

/** Returns how a report contradicts the identity of a site; null if it does not. */
export function contradictionOf(
  known: SiteIdentity,
  reported: SiteIdentity,
): ReportedIdentity | null {
  const names = ['user', 'docroot', 'db_name'] as const
  const other = names.filter((name) => reported[name] !== '' && reported[name] !== known[name])
  if (other.length === 0) return null
  return Object.fromEntries(other.map((name) => [name, reported[name]]))
}
