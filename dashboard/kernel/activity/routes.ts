import { z } from 'zod'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { shows } from '#dashboard/kernel/http/answers.ts'
import { routesWith, UNTIL_CHANGED } from '#dashboard/kernel/http/route.ts'
import { Activity, ActivityQuery } from '#shared/kernel/api/activity.ts'
import { Count } from '#shared/kernel/api/parts.ts'
import { listActivities } from './queries.ts'

const route = routesWith<{ db: Database }>()

export const activityRoutes = {
  listActivity: route({
    at: 'GET /api/activity',
    ignores_unknown: true,
    summary: 'List the activity',
    right: 'read',
    cached_ms: UNTIL_CHANGED,
    query: ActivityQuery,
    answers: shows('Newest first. `total` counts all that match the filters.', {
      activities: z.array(Activity),
      total: Count,
    }),
    run: ({ deps, query }) => listActivities(deps.db, query),
  }),
}
