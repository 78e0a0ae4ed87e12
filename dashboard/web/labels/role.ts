import type { Option } from '#dashboard/web/ui/option.ts'
import type { HeldPartGrant } from '#shared/access/api/accounts.ts'
import { ROLES, type Role } from '#shared/kernel/rights.ts'

/** What an account of each role may do; each includes those before it. */
export const ROLE_TEXTS: Record<Role, { name: string; about: string }> = {
  viewer: { name: 'Viewer', about: 'Sees servers, sites and operations, and changes nothing.' },
  operator: {
    name: 'Operator',
    about:
      'Does the everyday work: creates, updates, backs up, restores and deletes sites, and restarts services.',
  },
  admin: {
    name: 'Admin',
    about:
      'Does all work: also adds and removes servers, changes settings, sees passwords, gives access to sites and deletes permanently.',
  },
  owner: {
    name: 'Owner',
    about: 'Does all work, invites people, and decides what each account may do.',
  },
}

export const ROLE_OPTIONS: Option<Role>[] = ROLES.map((value) => ({
  value,
  name: ROLE_TEXTS[value].name,
}))

/** Names the part of the fleet that a grant is on, such as `the site shop.example`. */
export function placeText({ tag, server, server_id, site, site_id }: HeldPartGrant): string {
  if (site_id !== null) return `the site ${site ?? site_id}`
  if (server_id !== null) return `the server ${server ?? server_id}`
  return `the servers with the tag ${tag}`
}
