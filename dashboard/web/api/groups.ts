import { queryOptions } from '@tanstack/react-query'
import { peopleQuery } from './access.ts'
import { call, type Sent } from './client.ts'
import { withConfirmation } from './password-confirmation.ts'

/** What changes people changes this, too: its key begins with theirs. */
export const groupsQuery = queryOptions({
  queryKey: [...peopleQuery.queryKey, 'groups'],
  queryFn: async () => (await call('GET /api/groups')).groups,
})

export const createGroup = (body: Sent<'POST /api/groups'>['body']) =>
  withConfirmation(() => call('POST /api/groups', { body }))

export const changeGroup = (group_id: number, body: Sent<'PATCH /api/groups/:group_id'>['body']) =>
  withConfirmation(() => call('PATCH /api/groups/:group_id', { params: { group_id }, body }))

export const removeGroup = (group_id: number) =>
  withConfirmation(() => call('DELETE /api/groups/:group_id', { params: { group_id } }))
