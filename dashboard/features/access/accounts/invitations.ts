import type { PersonRow } from '#dashboard/features/access/queries.ts'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { groupHeld } from '#dashboard/kernel/auth/grants.queries.ts'
import { prefixOf } from '#dashboard/kernel/auth/login.ts'
import type { Passwords } from '#dashboard/kernel/auth/passwords.ts'
import type { MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import type { Throttle } from '#dashboard/kernel/auth/throttle.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { violatesUnique } from '#dashboard/kernel/db/violations.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import type {
  AcceptInvitation,
  Invitation,
  InvitePerson,
  SentInvitation,
} from '#shared/access/api/accounts.ts'
import { conflict, invalid, notFound } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { listOwners } from './accounts.queries.ts'
import { NEEDS_ROLE, ownerOf, wordsOf } from './accounts.ts'
import { type GroupRecord, listGroupRecords } from './groups.queries.ts'
import {
  type AlsoAccepted,
  deleteInvitation,
  findInvitation,
  hasAccountWith,
  nextUserId,
  type OpenInvitation,
  storeAccepted,
  storeInvitation,
} from './invitations.queries.ts'
import { findPartNames, isKnownPart, refuseUnknownParts, showParts } from './parts.queries.ts'
import {
  grantsOf,
  groupsIn,
  partsIn,
  roleOfInvitation,
  seesSecrets,
  showGroupRights,
} from './show-accounts.ts'

const VALID_MS = 7 * 24 * 3600_000
const TOKEN_BYTES = 32
const TURNS = 5

/** The part of the mailer of the dashboard that is needed here: it never throws. */
export interface InvitationMailer {
  send(message: {
    to: readonly string[]
    subject: string
    text: string
    id: string
  }): Promise<{ accepted: boolean; answer: string; refused: readonly string[] }>
}

interface InviteDeps extends MarkedRecords, Pick<CommonDeps, 'clock' | 'random'> {
  mailer: InvitationMailer | undefined
  public_url: string | undefined
}

/**
 * Invites a person without an account. The link leads to PUBLIC_URL, never to the host that a request
 * names. Throws 409 for a person with an account, and 422 for an address that somebody else has.
 */
export async function invite(
  deps: InviteDeps,
  caller: Caller,
  person: PersonRow,
  { email, role, secrets, parts, groups }: InvitePerson,
): Promise<SentInvitation> {
  const { db, clock, random } = deps
  const by = ownerOf(await listOwners(deps), caller)
  if (await hasAccountWith(db, email))
    throw invalid({ email: ['An account with this address exists'] })
  refuseUnknownParts(parts, await findPartNames(db, parts))
  if (role === null && secrets) throw invalid({ secrets: [NEEDS_ROLE] })
  if (role === null && parts.length === 0 && groups.length === 0)
    throw invalid({ role: ['Choose a role or a group, or give grants on parts of the fleet'] })
  const joined = groupsFrom(groups, await listGroupRecords(deps))
  const token = new Secret(randomText(random, TOKEN_BYTES))
  const grants = grantsOf(role, secrets)
  const values = {
    person_id: person.id,
    hash: sha256(token),
    email,
    role: role ?? ('none' as const),
    secrets: grants.includes('secrets') ? 1 : 0,
    parts: JSON.stringify(parts),
    groups: JSON.stringify(groups),
    invited_by: caller.user.id,
    created_at: timestamp(clock),
    expires_at: timestamp(clock, VALID_MS),
  }
  const detail = `${person.name}, ${email}: ${wordsOf({ grants, parts })}${wordsOfGroups(joined)}`
  const entry = entryOf(clock, { type: 'account.invite', user_id: caller.user.id, detail })
  const isStored = await storeInvitation(deps, values, by, entry).catch((error: unknown) => {
    if (!violatesUnique(error, 'invitations.email')) throw error
    throw invalid({ email: ['Somebody else is invited with this address'] })
  })
  if (!isStored) throw conflict(`${person.name} has an account: change its role instead`)
  const link = `${(deps.public_url ?? '').replace(/\/$/, '')}/invitation#${token.reveal()}`
  const problem = await mail(deps, { ...values, link, by: caller.user.email })
  return { link, expires_at: values.expires_at, mailed: problem === null, mail_problem: problem }
}

/** Returns the groups with these ids. Throws 422 for one that does not exist, and for one twice. */
function groupsFrom(ids: readonly number[], all: readonly GroupRecord[]): GroupRecord[] {
  return ids.map((id, at) => {
    const refuse = (text: string) => invalid({ groups: [`Entry ${at + 1}: ${text}`] })
    const found = all.find(({ group }) => group.id === id)
    if (!found) throw refuse(`Group ${id} does not exist`)
    if (ids.indexOf(id) !== at) throw refuse('Is given twice')
    return found
  })
}

/** Writes groups as the end of a text of the activity: `; groups: Care, Shop team`. */
const wordsOfGroups = (groups: readonly GroupRecord[]): string =>
  groups.length === 0 ? '' : `; groups: ${groups.map(({ group }) => group.name).join(', ')}`

interface InvitationMail {
  email: string
  role: string
  expires_at: string
  link: string
  by: string
}

/** Mails the link. Returns why it could not be mailed; null: the mail server has accepted it. */
async function mail(
  { mailer, public_url, random }: InviteDeps,
  { email, role, expires_at, link, by }: InvitationMail,
): Promise<string | null> {
  if (!mailer) return 'The dashboard cannot send mail: SMTP_URL is not set in its environment'
  if (public_url === undefined)
    return 'The dashboard does not know its address: PUBLIC_URL is not set in its environment'
  const until = `${expires_at.slice(0, 10)} ${expires_at.slice(11, 16)} UTC`
  const { accepted, answer, refused } = await mailer.send({
    to: [email],
    subject: 'Invitation to Hosting Control',
    text: `${by} invites you to Hosting Control${role === 'none' ? '' : `, with the role ${role}`}.\n\nOpen this link to set your password. It works once, until ${until}:\n\n${link}\n\nIf you did not expect this message, ignore it.\n`,
    id: randomText(random, 16),
  })
  return accepted && refused.length === 0 ? null : `The mail server answered: ${answer}`
}

/** Ends the invitation of a person. Throws 404 without one. */
export async function revokeInvitation(
  deps: Pick<InviteDeps, 'db' | 'marks' | 'clock'>,
  caller: Caller,
  { id, name }: PersonRow,
): Promise<void> {
  const by = ownerOf(await listOwners(deps), caller)
  const entry = { type: 'account.invite_revoke', user_id: caller.user.id, detail: name }
  if (!(await deleteInvitation(deps.db, id, by, entryOf(deps.clock, entry))))
    throw notFound('Invitation')
}

export interface AcceptDeps extends MarkedRecords, Pick<CommonDeps, 'clock'> {
  throttle: Throttle
  passwords: Passwords
}

/** Shows an invitation to whoever has its token. Throws 404 for any other text. */
export async function showInvitation(
  deps: Omit<AcceptDeps, 'passwords'>,
  token: Secret,
  address: string,
): Promise<Invitation> {
  const { invitation, name, invited_by } = await getInvitation(deps, token, address)
  const { email, secrets, expires_at } = invitation
  const role = roleOfInvitation(invitation)
  const parts = partsIn(invitation)
  const groups = groupsIn(invitation, await listGroupRecords(deps))
  const given = groups.flatMap(({ grants }) => groupHeld(grants).parts)
  const names = await findPartNames(deps.db, [...parts, ...given])
  return {
    email,
    name,
    role,
    secrets: seesSecrets(grantsOf(role, secrets === 1)),
    parts: showParts(parts, names),
    groups: showGroupRights(groups, names),
    invited_by: invited_by.user.email,
    expires_at,
  }
}

/** Makes the account of an invitation, once, with a password. */
export async function acceptInvitation(
  deps: AcceptDeps,
  { token, name, password }: AcceptInvitation,
  address: string,
): Promise<{ email: string }> {
  const open = await getInvitation(deps, token, address)
  const password_hash = await deps.passwords.hash(password)
  await makeInvited(deps, open, { name, password_hash })
  return { email: open.invitation.email }
}

interface InvitedAccount {
  name: string
  /** Empty for an account without a password. */
  password_hash: string
  /** What belongs to the account of this id. */
  also?: (user_id: number) => AlsoAccepted
}

/** Makes the account of an invitation, with what it gives, and returns the id. Throws 404 when it has ended. */
export async function makeInvited(
  deps: Pick<AcceptDeps, 'db' | 'marks' | 'clock'>,
  open: OpenInvitation,
  { name, password_hash, also }: InvitedAccount,
): Promise<number> {
  const { db, clock } = deps
  const { email, secrets } = open.invitation
  const grants = grantsOf(roleOfInvitation(open.invitation), secrets === 1)
  // A server or a site may have been removed since.
  const known = await findPartNames(db, partsIn(open.invitation))
  const parts = partsIn(open.invitation).filter((part) => isKnownPart(part, known))
  for (let turn = 0; turn < TURNS; turn++) {
    const id = await nextUserId(db)
    const user = { id, email, name, password_hash, created_at: timestamp(clock) }
    const groups = groupsIn(open.invitation, await listGroupRecords(deps))
    const given = `${wordsOf({ grants, parts })}${wordsOfGroups(groups)}`
    const detail = `${open.name}, ${email}: ${given}`
    const entry = entryOf(clock, { type: 'account.accept', user_id: id, detail })
    const stored = storeAccepted(deps, open, user, { grants, parts, groups }, entry, also?.(id))
    const isMade = await stored.catch((error: unknown) => {
      if (violatesUnique(error, 'users.email'))
        throw conflict('An account with this e-mail address exists: log in instead')
      // Another invitation was accepted at the same time.
      if (violatesUnique(error, 'users.id')) return undefined
      throw error
    })
    if (isMade === false) throw notFound('Invitation')
    if (isMade) return id
  }
  throw new Error('The id of the new account is taken with each attempt')
}

/** Returns an open invitation. Throws 404, and 429 after too many of them from one address. */
export async function getInvitation(
  deps: Omit<AcceptDeps, 'passwords'>,
  token: Secret,
  address: string,
): Promise<OpenInvitation> {
  const attempt = deps.throttle.invitation(prefixOf(address))
  const found = await findInvitation(deps, sha256(token), timestamp(deps.clock))
  if (!found) throw notFound('Invitation')
  attempt.withdraw()
  return found
}

const sha256 = (token: Secret) =>
  new Bun.CryptoHasher('sha256').update(token.reveal()).digest('hex')
