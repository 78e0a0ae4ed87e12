import { z } from 'zod'
import type { Descriptions } from '#dashboard/http/describe.ts'
import { Activity, ActivityQuery } from '#shared/api/activity.ts'
import { Count } from '#shared/api/parts.ts'

export const activityApi: Descriptions = {
  listActivity: {
    route: 'GET /api/activity',
    summary: 'List what was done',
    query: ActivityQuery,
    answers: {
      200: {
        about: 'Newest first. `total` counts all that match the filters.',
        json: z.strictObject({ activities: z.array(Activity), total: Count }),
      },
    },
  },
}
