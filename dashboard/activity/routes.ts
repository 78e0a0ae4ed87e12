import { Elysia } from 'elysia'
import type { Deps } from '#dashboard/deps.ts'
import { ActivityQuery } from '#shared/api/activity.ts'
import { parse } from '#shared/parse.ts'
import { listActivities } from './queries.ts'

export function activityRoutes(deps: Deps) {
  return new Elysia({ prefix: '/activity' }).get('', ({ query }) =>
    listActivities(deps.db, parse(ActivityQuery, query)),
  )
}
