import type { Option } from '#dashboard/web/ui/option.ts'
import type { HeldPartGrant } from '#shared/access/api/accounts.ts'
import {
  PART_GRANTS,
  type PartGrantName,
  type Right,
  ROLES,
  type Role,
} from '#shared/kernel/rights.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

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

export const ROLE_OPTIONS: Option<Role | null>[] = [
  ...ROLES.map((value) => ({ value, name: ROLE_TEXTS[value].name })),
  { value: null, name: 'None, only parts of the fleet' },
]

/** What a grant gives on a part of the fleet. */
export const PART_TEXTS: Record<PartGrantName, { name: string; about: string }> = {
  client: {
    name: 'Client',
    about:
      'For a client of the agency: sees the sites there in plain words, and asks for a restore.',
  },
  restore: { name: 'Client who restores', about: 'A client may also restore a backup there.' },
  login: {
    name: 'Client who logs in',
    about: 'A client may also log in to WordPress there, as the user with the same address.',
  },
  viewer: { name: ROLE_TEXTS.viewer.name, about: 'Sees everything there, and changes nothing.' },
  operator: {
    name: ROLE_TEXTS.operator.name,
    about:
      'Does the everyday work there: updates, backs up, restores and deletes sites, and on a server also creates sites and restarts services.',
  },
  admin: {
    name: ROLE_TEXTS.admin.name,
    about: 'Does all work there: also sees passwords, changes servers and deletes permanently.',
  },
  secrets: {
    name: 'Secrets',
    about:
      'Sees passwords and site contents there. To open the pages there, a role is needed, too.',
  },
}

export const PART_OPTIONS: Option<PartGrantName>[] = PART_GRANTS.map((value) => ({
  value,
  name: PART_TEXTS[value].name,
}))

/** Names the part of the fleet that a grant is on, such as `the site shop.example`. */
export function placeText(part: Omit<HeldPartGrant, 'gives'>): string {
  const { tag, server, server_id, site, site_id } = part
  if (site_id !== null) return `the site ${site === null ? site_id : unicodeOf(site)}`
  if (server_id !== null) return `the server ${server ?? server_id}`
  return `the servers with the tag ${tag}`
}

/** What each right permits; of a pair, the first one includes the second one. */
const RIGHT_WORDS: readonly (readonly (readonly [Right, string])[])[] = [
  [
    ['read', 'see everything here'],
    ['client', 'see the site in plain words'],
  ],
  [
    ['operate', 'do the everyday work'],
    ['restore', 'restore backups'],
  ],
  [
    ['secrets', 'see passwords and contents'],
    ['login', 'log in to WordPress'],
  ],
  [['admin', 'do all other work, such as to delete permanently']],
]

/** Writes rights as a sentence, such as `May see everything here, and do the everyday work.` */
export function rightsText(rights: readonly Right[]): string {
  const words = RIGHT_WORDS.flatMap(
    (pair) => pair.find(([right]) => rights.includes(right))?.[1] ?? [],
  )
  const last = words.pop() ?? 'do nothing'
  return `May ${words.length > 0 ? `${words.join(', ')}, and ` : ''}${last}.`
}
