import { shows } from '#dashboard/kernel/http/answers.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { Restored } from '#shared/recovery/api/restored.ts'
import { confirmRestored, type RestoredDeps, showRestored } from './show-restored.ts'

const route = routesWith<RestoredDeps>()

export const restoredRoutes = {
  showRestored: route({
    at: 'GET /api/fleet/restored',
    summary: 'Show what the servers know after a restore of the records',
    details:
      'Each server is asked at its first sync after the restore. What people changed since the backup, such as users, passwords, API tokens and settings, is known to nobody.',
    right: 'read',
    answers: shows('What was found; null: the records were not restored, or it was confirmed.', {
      restored: Restored.nullable(),
    }),
    run: async ({ deps }) => ({ restored: await showRestored(deps) }),
  }),
  confirmRestored: route({
    at: 'DELETE /api/fleet/restored',
    summary: 'Confirm what was found after a restore of the records',
    details: 'It is not shown any more.',
    right: 'admin',
    answers: { 204: { about: 'Confirmed.' } },
    run: ({ deps, caller }) => confirmRestored(deps, caller.user.id),
  }),
}
