import { z } from 'zod'
import { OWNERS } from '#dashboard/features/access/owners.ts'
import { creates, shows } from '#dashboard/kernel/http/answers.ts'
import { idIn } from '#dashboard/kernel/http/path.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { ChangeGroup, CreateGroup, Group } from '#shared/access/api/groups.ts'
import type { AccountDeps } from './accounts.ts'
import { changeGroup, createGroup, removeGroup, showGroup, showGroups } from './groups.ts'

const route = routesWith<AccountDeps>()

const idOf = ({ group_id }: { group_id: string }) => idIn(group_id, 'Group')

/** Accounts that have grants together. */
export const groupRoutes = {
  listGroups: route({
    at: 'GET /api/groups',
    summary: 'List the groups',
    right: 'admin',
    answers: shows('By name, with their grants and members.', { groups: z.array(Group) }),
    run: async ({ deps }) => ({ groups: await showGroups(deps) }),
  }),
  createGroup: route({
    at: 'POST /api/groups',
    summary: 'Create a group',
    details:
      'Its members have its grants beside their own ones. No group makes an owner. 409 if a rule of the access policy would not hold any more.',
    ...OWNERS,
    body: CreateGroup,
    answers: creates('Created.', { group: Group }),
    errors: ['conflict'],
    run: async ({ deps, caller, body }) => {
      const id = await createGroup(deps, caller, body)
      return { group: await showGroup(deps, id) }
    },
  }),
  changeGroup: route({
    at: 'PATCH /api/groups/:group_id',
    summary: 'Change a group',
    details:
      'Streams of its members, and of those who leave it, end, and begin again with what they may do now; their tokens have the new rights at once. 409 if a rule of the access policy would not hold any more.',
    ...OWNERS,
    body: ChangeGroup,
    answers: shows('The group.', { group: Group }),
    errors: ['conflict'],
    run: async ({ deps, caller, params, body }) => {
      const id = idOf(params)
      await changeGroup(deps, caller, id, body)
      return { group: await showGroup(deps, id) }
    },
  }),
  removeGroup: route({
    at: 'DELETE /api/groups/:group_id',
    summary: 'Remove a group',
    details: '409 if a rule of the access policy would not hold any more.',
    ...OWNERS,
    answers: { 204: { about: 'Its members keep their own grants only.' } },
    errors: ['conflict'],
    run: ({ deps, caller, params }) => removeGroup(deps, caller, idOf(params)),
  }),
}
