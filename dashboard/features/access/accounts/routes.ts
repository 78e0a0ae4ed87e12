import { z } from 'zod'
import { OWNERS } from '#dashboard/features/access/owners.ts'
import { getPerson, type PeopleDeps, showPerson } from '#dashboard/features/access/people.ts'
import type { Passwords } from '#dashboard/kernel/auth/passwords.ts'
import type { Throttle } from '#dashboard/kernel/auth/throttle.ts'
import type { StreamDeps } from '#dashboard/kernel/engine/operation-answers.ts'
import { creates, shows } from '#dashboard/kernel/http/answers.ts'
import { ANONYMOUS_LIMITS } from '#dashboard/kernel/http/body.ts'
import { addressOf } from '#dashboard/kernel/http/connection.ts'
import { idIn } from '#dashboard/kernel/http/path.ts'
import { type PathCall, routesWith } from '#dashboard/kernel/http/route.ts'
import { loadSite } from '#dashboard/kernel/targets/load-site.ts'
import { Person } from '#shared/access/api/access.ts'
import {
  AcceptedInvitation,
  AcceptInvitation,
  ChangeAccount,
  Invitation,
  InvitePerson,
  SentInvitation,
  ShowInvitation,
  WhoMay,
} from '#shared/access/api/accounts.ts'
import { ApiToken, Session } from '#shared/kernel/api/auth.ts'
import {
  type AccountDeps,
  activate,
  changeRole,
  deactivate,
  removeAccount,
  showLogins,
} from './accounts.ts'
import { endAccessOf } from './end-access.ts'
import {
  acceptInvitation,
  type InvitationMailer,
  invite,
  revokeInvitation,
  showInvitation,
} from './invitations.ts'
import { whoMay } from './who-may.ts'

interface Deps extends StreamDeps, PeopleDeps, AccountDeps {
  mailer: InvitationMailer | undefined
  public_url: string | undefined
  passwords: Passwords
  throttle: Throttle
}

const route = routesWith<Deps>()

type OwnerCall = PathCall<Deps, 'person_id'>

const loadPerson = ({ deps, params }: OwnerCall) =>
  getPerson(deps, idIn(params.person_id, 'Person'))

/** What every call has that decides what somebody else may do. */
const OF_PERSON = { ...OWNERS, loads: loadPerson } as const

const PERSON = { answers: shows('The person.', { person: Person }), errors: ['conflict'] } as const

const LAST_OWNER = '409 for the only owner.'
const UNKNOWN_TOKEN =
  '404 for every text that is no token of an open invitation; 20 of them from one address (of IPv6, a /64) within 15 minutes are answered with 429.'

type Change = (deps: Deps, caller: OwnerCall['caller'], person_id: number) => Promise<void>

/** Makes a change, and answers with the person after it. */
async function changed({ deps, caller }: OwnerCall, id: number, change: Change) {
  await change(deps, caller, id)
  return { person: await showPerson(deps, (person) => person.id === id) }
}

/** Makes a change that ends the access of the person, also to sites. */
async function ended(call: OwnerCall, id: number, change: Change) {
  return changed(call, id, async (deps, caller) => {
    await change(deps, caller, id)
    await endAccessOf(deps, id, caller.user.id)
  })
}

const WHO_MAY = shows('By name; without deactivated accounts.', { accounts: z.array(WhoMay) })

/** Who may log in to this dashboard, and what they may do. */
export const accountRoutes = {
  invitePerson: route({
    at: 'POST /api/people/:person_id/invitation',
    summary: 'Invite a person to this dashboard',
    details:
      'Answers with a link that makes the account, once and within 7 days; it is mailed if the dashboard can send mail. It ends the previous invitation of the person. 409 for a person with an account.',
    ...OF_PERSON,
    body: InvitePerson,
    answers: creates('Invited. The link is shown only once.', { invitation: SentInvitation }),
    errors: ['conflict'],
    waits: true,
    run: async ({ deps, loaded, body, caller }) => ({
      invitation: await invite(deps, caller, loaded, body),
    }),
  }),
  revokeInvitation: route({
    at: 'DELETE /api/people/:person_id/invitation',
    summary: 'Revoke the invitation of a person',
    ...OF_PERSON,
    answers: { 204: { about: 'Its link no longer works.' } },
    errors: ['conflict'],
    run: ({ deps, loaded, caller }) => revokeInvitation(deps, caller, loaded),
  }),
  changeAccount: route({
    at: 'PATCH /api/people/:person_id/account',
    summary: 'Change the role of an account',
    details: `Streams of the account end, and begin again with what it may do now. ${LAST_OWNER}`,
    ...OF_PERSON,
    body: ChangeAccount,
    ...PERSON,
    run: (call) =>
      changed(call, call.loaded.id, (deps, caller, id) => changeRole(deps, caller, id, call.body)),
  }),
  deactivateAccount: route({
    at: 'POST /api/people/:person_id/account/deactivate',
    summary: 'Deactivate an account',
    details: `Its sessions, API tokens and streams end at once, and its login is refused like one with a wrong password. The access of the person to sites ends with one \`site.access\` for each; a site whose server is offline is \`ending\` until that answers. ${LAST_OWNER}`,
    ...OF_PERSON,
    ...PERSON,
    run: (call) => ended(call, call.loaded.id, deactivate),
  }),
  activateAccount: route({
    at: 'POST /api/people/:person_id/account/activate',
    summary: 'Activate a deactivated account',
    details: 'It has its former role and password. The access to sites must be given again.',
    ...OF_PERSON,
    ...PERSON,
    run: (call) => changed(call, call.loaded.id, activate),
  }),
  removeAccount: route({
    at: 'DELETE /api/people/:person_id/account',
    summary: 'Remove an account',
    details: `Ends what its deactivation ends. The person stays, with their keys, and can be invited again. ${LAST_OWNER}`,
    ...OF_PERSON,
    ...PERSON,
    run: (call) => ended(call, call.loaded.id, removeAccount),
  }),
  showLogins: route({
    at: 'GET /api/people/:person_id/account/logins',
    summary: 'Show the sessions and API tokens of an account',
    details: '404 for a person without an account.',
    right: 'accounts',
    loads: loadPerson,
    answers: shows('The session that was used last, and the newest token, come first.', {
      sessions: z.array(Session),
      tokens: z.array(ApiToken),
    }),
    run: ({ deps, loaded, caller }) => showLogins(deps, caller, loaded),
  }),
  whoMayOnServer: route({
    at: 'GET /api/servers/:server_id/rights',
    summary: 'Show who may do what on a server',
    right: 'admin',
    answers: WHO_MAY,
    run: async ({ deps, params }) => ({
      accounts: await whoMay(deps, { server_id: idIn(params.server_id, 'Server') }),
    }),
  }),
  whoMayOnSite: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/rights',
    summary: 'Show who may do what on a site',
    right: 'admin',
    loads: loadSite,
    answers: WHO_MAY,
    run: async ({ deps, loaded }) => ({
      accounts: await whoMay(deps, { site_id: loaded.site.id }),
    }),
  }),
  showInvitation: route({
    at: 'POST /api/invitations/show',
    summary: 'Show an invitation',
    details: UNKNOWN_TOKEN,
    right: 'open',
    body: ShowInvitation,
    body_limits: ANONYMOUS_LIMITS,
    answers: shows('The invitation.', { invitation: Invitation }),
    errors: ['not_found', 'too_many'],
    run: async ({ deps, body, request, server }) => ({
      invitation: await showInvitation(deps, body.token, addressOf(request, server)),
    }),
  }),
  acceptInvitation: route({
    at: 'POST /api/invitations/accept',
    summary: 'Accept an invitation',
    details: `Makes the account, with the role of the invitation, which ends. The account can log in then. ${UNKNOWN_TOKEN}`,
    right: 'open',
    body: AcceptInvitation,
    body_limits: ANONYMOUS_LIMITS,
    answers: creates('The account exists.', { account: AcceptedInvitation }),
    errors: ['not_found', 'conflict', 'too_many'],
    run: async ({ deps, body, request, server }) => ({
      account: await acceptInvitation(deps, body, addressOf(request, server)),
    }),
  }),
}
