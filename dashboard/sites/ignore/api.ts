import { z } from 'zod'
import type { Descriptions } from '#dashboard/http/describe.ts'
import { IgnoredSite, IgnoreSite } from '#shared/api/sites.ts'

export const ignoreApi: Descriptions = {
  ignoreSite: {
    route: 'PUT /api/servers/:server_id/sites/:site_id/ignored',
    summary: 'Ignore a found site, or show it again',
    details:
      'An ignored site is left out of lists, counts and the overview; `GET /api/fleet/sites?ignored=true` lists it. Nothing changes on its server. 409 for a managed site.',
    body: IgnoreSite,
    answers: {
      200: { about: 'What it is now.', json: z.strictObject({ site: IgnoredSite }) },
    },
    errors: ['conflict'],
  },
}
