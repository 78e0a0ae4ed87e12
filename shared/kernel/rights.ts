import { TOKEN_SCOPES, type TokenScope } from './values.ts'

/** The roles of an account, from the least to the most; each includes the rights of the previous ones. */
export const ROLES = ['viewer', 'operator', 'admin', 'owner'] as const
export type Role = (typeof ROLES)[number]

/** What an account can be granted: a role, or the secrets, which no role below `admin` includes. */
export const GRANTS = [...ROLES, 'secrets'] as const
export type Grant = (typeof GRANTS)[number]

/**
 * What a client of the agency can be granted on a part of the fleet, and nowhere else: a reduced view
 * of the sites, and with it to restore backups, and to log in to the WordPress.
 */
export const CLIENT_GRANTS = ['client', 'restore', 'login'] as const

export const isClientGrant = (grant: PartGrantName): boolean =>
  CLIENT_GRANTS.some((name) => name === grant)

/** What an account can be granted on a part of the fleet: the accounts belong to no part. */
export const PART_GRANTS = [...CLIENT_GRANTS, 'viewer', 'operator', 'admin', 'secrets'] as const
export type PartGrantName = (typeof PART_GRANTS)[number]

/** A part of the fleet: the servers with a tag, one server, or one site; the others are null. */
export interface Part {
  tag: string | null
  server_id: number | null
  site_id: number | null
}

/** A grant on a part of the fleet. */
export interface PartGrant extends Part {
  gives: PartGrantName
}

/** Everything that an account is granted: in the whole fleet, and on parts of it. */
export interface HeldGrants {
  grants: readonly Grant[]
  parts: readonly PartGrant[]
}

/** A server, or a site on it, with the tags of the server. */
export interface Place {
  server_id: number
  site_id: number | null
  tags: readonly string[]
}

/**
 * What a call needs of its caller. `own` calls are about the account of the caller, and need no
 * grant. `client` shows the reduced view of a site, `restore` restores its backups, and `login` logs
 * in to its WordPress as the user with the address of the caller. `secrets` shows passwords and
 * everything that a site stores. `accounts` decides what others may do.
 */
export const RIGHTS = [
  'own.read',
  'own',
  'client',
  'read',
  'restore',
  'operate',
  'login',
  'secrets',
  'admin',
  'accounts',
] as const
export type Right = (typeof RIGHTS)[number]

/** The rights that somebody has on a server or a site. */
export const RIGHTS_ON_OBJECTS = [
  'client',
  'read',
  'restore',
  'operate',
  'login',
  'secrets',
  'admin',
] as const satisfies Right[]

const RIGHTS_OF_EVERYONE: readonly Right[] = ['own.read', 'own']

const RIGHTS_OF: Readonly<Record<Grant | PartGrantName, readonly Right[]>> = {
  client: ['client'],
  restore: ['client', 'restore'],
  login: ['client', 'login'],
  viewer: ['client', 'read'],
  operator: ['client', 'read', 'restore', 'operate'],
  admin: RIGHTS_ON_OBJECTS,
  owner: [...RIGHTS_ON_OBJECTS, 'accounts'],
  secrets: ['login', 'secrets'],
}

/** The grants that give a right beside the roles. */
const GRANT_FOR: Partial<Record<Right, PartGrantName>> = {
  client: 'client',
  restore: 'restore',
  login: 'login',
  secrets: 'secrets',
}

/** The smallest scope of an API token for a right. */
const SCOPE_FOR: Readonly<Record<Right, TokenScope>> = {
  'own.read': 'read',
  own: 'admin',
  client: 'read',
  read: 'read',
  restore: 'operate',
  operate: 'operate',
  login: 'admin',
  secrets: 'admin',
  admin: 'admin',
  accounts: 'admin',
}

/** Returns the rights of an account; grants only add up. */
export function rightsOf(grants: readonly (Grant | PartGrantName)[]): Right[] {
  const given = new Set([...RIGHTS_OF_EVERYONE, ...grants.flatMap((grant) => RIGHTS_OF[grant])])
  return RIGHTS.filter((right) => given.has(right))
}

/** Whether a part has the place in it: a server has also each of its sites. */
export const isOn = ({ tag, server_id, site_id }: Part, place: Place): boolean => {
  if (site_id !== null) return place.site_id === site_id
  if (server_id !== null) return place.server_id === server_id
  return tag !== null && place.tags.includes(tag)
}

/** Returns the rights of an account at a place. */
export const rightsAt = ({ grants, parts }: HeldGrants, place: Place): Right[] =>
  rightsOf([...grants, ...parts.filter((part) => isOn(part, place)).map(({ gives }) => gives)])

/** Returns the grants on parts of the fleet that include a right. */
export const partsWith = ({ parts }: Pick<HeldGrants, 'parts'>, right: Right): PartGrant[] =>
  parts.filter(({ gives }) => RIGHTS_OF[gives].includes(right))

/** Returns the rights that a token of the scope may use, if its account has them. */
export const rightsWithin = (scope: TokenScope): Right[] =>
  RIGHTS.filter((right) => TOKEN_SCOPES.indexOf(scope) >= TOKEN_SCOPES.indexOf(SCOPE_FOR[right]))

/** Returns the scope that a token needs for a right. */
export const scopeFor = (right: Right): TokenScope => SCOPE_FOR[right]

/** Returns the lowest role that has a right; undefined for what every account may do. */
export const lowestRole = (right: Right): Role | undefined =>
  ROLES.find((role) => RIGHTS_OF[role].includes(right))

/** Returns the grant that gives a right beside the roles; undefined when there is none. */
export const grantFor = (right: Right): PartGrantName | undefined => GRANT_FOR[right]

/** Whether somebody is a client of the agency: what they see, they see in the reduced view. */
export const isClient = ({
  rights,
  parts,
}: {
  rights: readonly Right[]
  parts: readonly { rights: readonly Right[] }[]
}): boolean => {
  const given = [rights, ...parts.map((part) => part.rights)].flat()
  return given.includes('client') && !given.includes('read')
}

/** Returns the role among the grants of an account; undefined for an account without one. */
export const roleOf = (grants: readonly Grant[]): Role | undefined =>
  ROLES.findLast((role) => grants.includes(role))
