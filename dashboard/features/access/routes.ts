import { z } from 'zod'
import {
  awaited,
  doneOrPlan,
  type StreamDeps,
  streamed,
} from '#dashboard/kernel/engine/operation-answers.ts'
import { ASKS_AGENT, creates, shows } from '#dashboard/kernel/http/answers.ts'
import { idIn } from '#dashboard/kernel/http/path.ts'
import { type PathCall, routesWith } from '#dashboard/kernel/http/route.ts'
import { loadManagedSite } from '#dashboard/kernel/targets/load-site.ts'
import {
  AddKey,
  ClientLogin,
  CreateClientAccount,
  CreatePerson,
  EndClientAccount,
  EndSiteSession,
  Person,
  ResetClientPassword,
  SetAccess,
  SiteAccess,
  SiteSession,
} from '#shared/access/api/access.ts'
import { PlanAnswer } from '#shared/kernel/plan.ts'
import { createClient, paramsWithout, resetPassword } from './clients.ts'
import {
  addKey,
  createPerson,
  getPerson,
  type PeopleDeps,
  removeKey,
  removePerson,
  showPeople,
} from './people.ts'
import { endOpenSession, listOpenSessions } from './sessions.ts'
import { givesMore, showAccess } from './show-access.ts'

const LOGIN_OR_PLAN = {
  answers: {
    200: { about: 'How to log in, or the plan.', json: z.union([ClientLogin, PlanAnswer]) },
  },
  errors: ASKS_AGENT,
  waits: true,
} as const

const APPLIED = streamed('site.access')
const route = routesWith<StreamDeps & PeopleDeps>()

const loadPerson = ({ deps, params }: PathCall<PeopleDeps, 'person_id'>) =>
  getPerson(deps, idIn(params.person_id, 'Person'))

/** Who may log in to sites by SFTP, with which keys. */
export const accessRoutes = {
  listPeople: route({
    at: 'GET /api/people',
    summary: 'List the people who may log in to sites or to this dashboard',
    right: 'read',
    answers: shows('By name, with their account, keys and sites.', { people: z.array(Person) }),
    run: async ({ deps }) => ({ people: await showPeople(deps) }),
  }),
  createPerson: route({
    at: 'POST /api/people',
    summary: 'Add a person',
    details: 'A person owns keys; an owner can also invite a person to this dashboard.',
    right: 'admin',
    body: CreatePerson,
    answers: creates('Added.', { person: Person }),
    run: async ({ deps, body, caller }) => ({
      person: await createPerson(deps, body.name, caller.user.id),
    }),
  }),
  removePerson: route({
    at: 'DELETE /api/people/:person_id',
    summary: 'Remove a person',
    details: '409 while the person has access to a site, an account or an invitation.',
    right: 'admin',
    loads: loadPerson,
    answers: { 204: { about: 'Removed.' } },
    errors: ['conflict'],
    run: ({ deps, loaded, caller }) => removePerson(deps, loaded, caller.user.id),
  }),
  addPersonKey: route({
    at: 'POST /api/people/:person_id/keys',
    summary: 'Add a public key of a person',
    details: 'Servers get it when the access to their sites is set again.',
    right: 'admin',
    loads: loadPerson,
    body: AddKey,
    answers: creates('The person with the key.', { person: Person }),
    run: async ({ deps, loaded, body, caller }) => ({
      person: await addKey(deps, loaded, body.key, caller.user.id),
    }),
  }),
  removePersonKey: route({
    at: 'DELETE /api/people/:person_id/keys/:key_id',
    summary: 'Remove a public key of a person',
    details:
      'Servers have it until the access to their sites is set again: the sites of the person are no longer `applied`.',
    right: 'admin',
    loads: loadPerson,
    answers: shows('The person without the key.', { person: Person }),
    run: async ({ deps, loaded, params, caller }) => ({
      person: await removeKey(deps, loaded, keyIn(params.key_id), caller.user.id),
    }),
  }),
  showSiteAccess: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/access',
    summary: 'Show who may log in to a site',
    right: 'read',
    loads: loadManagedSite,
    answers: shows('The people, and how they connect.', { access: SiteAccess }),
    errors: ['conflict'],
    run: async ({ deps, loaded }) => ({ access: await showAccess(deps.db, loaded) }),
  }),
  listSiteSessions: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/access/sessions',
    summary: 'List who is connected to a site',
    details: 'The open sessions by SFTP and SSH, read from the server at each call.',
    right: 'read',
    loads: loadManagedSite,
    answers: shows('Oldest first.', { sessions: z.array(SiteSession) }),
    errors: ['conflict', 'offline'],
    run: async ({ deps, loaded }) => ({ sessions: await listOpenSessions(deps, loaded) }),
  }),
  endSiteSession: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/access/sessions/end',
    summary: 'End a session by SFTP or SSH',
    details:
      'No other session ends. The person can log in again: remove the access first to prevent that. 404 for a session that has ended.',
    right: 'operate',
    loads: loadManagedSite,
    body: EndSiteSession,
    answers: { 204: { about: 'Ended.' } },
    errors: ASKS_AGENT,
    run: ({ deps, loaded, body }) => endOpenSession(deps, loaded, body.id),
  }),
  setSiteAccess: route({
    at: 'PUT /api/servers/:server_id/sites/:site_id/access',
    summary: 'Set who may log in to a site by SFTP or SSH',
    details:
      'Replaces the whole list, with the keys that the people have now. When somebody loses access, all sessions of the site end; the others can log in again. A token needs the scope `admin` to add somebody, or to give more or for longer than somebody has. 409 for a new shell while the setting `site_shell` is off.',
    loads: loadManagedSite,
    body: SetAccess,
    ...APPLIED,
    run: async (call) => {
      const { deps, loaded, body } = call
      if (await givesMore(deps.db, loaded.site.id, body.grants)) await call.requireRight('admin')
      return APPLIED.run(call)
    },
  }),
  createClientAccount: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/access/clients',
    summary: 'Create an SFTP account with a password',
    details:
      'For a client without an SSH key. Answers with the password, which is not stored. 409 while the setting `client_accounts` is off.',
    right: 'secrets',
    needs_session: true,
    needs_confirmation: true,
    loads: loadManagedSite,
    body: CreateClientAccount,
    ...LOGIN_OR_PLAN,
    run: ({ deps, loaded, body }) => createClient(deps, loaded, body),
  }),
  resetClientPassword: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/access/clients/password',
    summary: 'Set a new password of an SFTP account',
    details:
      'Ends all sessions of the site; those with the previous password cannot log in again. Answers like the creation of an account.',
    right: 'secrets',
    needs_session: true,
    needs_confirmation: true,
    loads: loadManagedSite,
    body: ResetClientPassword,
    ...LOGIN_OR_PLAN,
    run: ({ deps, loaded, body }) => resetPassword(deps, loaded, body),
  }),
  endClientAccount: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/access/clients/end',
    summary: 'Remove an SFTP account with a password',
    details: 'All sessions of the site end; the others can log in again.',
    loads: loadManagedSite,
    body: EndClientAccount,
    ...awaited('site.access'),
    run: async ({ deps, loaded, body: { token, dry_run } }) => {
      const { label, clients } = await paramsWithout(deps.db, loaded.site.id, token)
      const call = { deps, loaded, body: { clients, install: false, dry_run } }
      return doneOrPlan(call, 'site.access', `Removed the client account ${label}`)
    },
  }),
}

const keyIn = (text: string) => idIn(text, 'Key')
