import { z } from 'zod'
import { creates, shows } from '#dashboard/http/answers.ts'
import { idIn } from '#dashboard/http/path.ts'
import { type PathCall, routesWith } from '#dashboard/http/route.ts'
import { type StreamDeps, streamed } from '#dashboard/operations/answer.ts'
import { loadManagedSite } from '#dashboard/targets/load-site.ts'
import { AddKey, CreatePerson, Person, SetAccess, SiteAccess } from '#shared/api/access.ts'
import {
  addKey,
  createPerson,
  getPerson,
  type PeopleDeps,
  removeKey,
  removePerson,
  showPeople,
} from './people.ts'
import { showAccess } from './site.ts'

const route = routesWith<StreamDeps & PeopleDeps>()

const loadPerson = ({ deps, params }: PathCall<PeopleDeps, 'person_id'>) =>
  getPerson(deps, idIn(params.person_id, 'Person'))

/** Who may log in to sites by SFTP, with which keys. */
export const accessRoutes = {
  listPeople: route({
    at: 'GET /api/people',
    summary: 'List the people who may log in to sites',
    right: 'read',
    answers: shows('By name, with their keys and sites.', { people: z.array(Person) }),
    run: async ({ deps }) => ({ people: await showPeople(deps) }),
  }),
  createPerson: route({
    at: 'POST /api/people',
    summary: 'Add a person',
    details: 'A name for keys: it is no user of this dashboard.',
    right: 'admin',
    body: CreatePerson,
    answers: creates('Added.', { person: Person }),
    run: async ({ deps, body, caller }) => ({
      person: await createPerson(deps, body.name, caller.user.id),
    }),
  }),
  removePerson: route({
    at: 'DELETE /api/people/:person_id',
    summary: 'Forget a person',
    details: '409 while the person has access to a site.',
    right: 'admin',
    loads: loadPerson,
    answers: { 204: { about: 'Forgotten.' } },
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
  setSiteAccess: route({
    at: 'PUT /api/servers/:server_id/sites/:site_id/access',
    summary: 'Set who may log in to a site by SFTP or SSH',
    details:
      'The whole list, with the keys that the people have now. When somebody loses access, all sessions of the site end; the others can log in again. 409 for a new shell while the setting `site_shell` is off.',
    loads: loadManagedSite,
    body: SetAccess,
    ...streamed('site.access'),
  }),
}

const keyIn = (text: string) => idIn(text, 'Key')
