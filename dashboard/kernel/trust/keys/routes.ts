import { z } from 'zod'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { KeyView } from '#shared/servers/api/keys.ts'
import { listKeyViews, type RotateKeyDeps, rotateKey } from './rotate.ts'

const route = routesWith<RotateKeyDeps>()
const keys = z.strictObject({ keys: z.array(KeyView) })

export const keyRoutes = {
  listKeys: route({
    at: 'GET /api/keys',
    summary: 'List the keys that sign for this dashboard',
    right: 'read',
    answers: { 200: { about: 'All of them.', json: keys } },
    run: async ({ deps }) => ({ keys: await listKeyViews(deps) }),
  }),
  rotateKey: route({
    at: 'POST /api/keys/rotate',
    summary: 'Create a new key and send it to every agent',
    right: 'admin',
    needs_confirmation: true,
    needs_session: true,
    answers: { 201: { about: 'All keys, with the new one.', json: keys } },
    run: async ({ deps, caller }) => {
      await rotateKey(deps, caller.user.id)
      return { keys: await listKeyViews(deps) }
    },
  }),
}
