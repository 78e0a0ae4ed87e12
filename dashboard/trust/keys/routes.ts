import { Elysia } from 'elysia'
import { callerOf } from '#dashboard/auth/caller.ts'
import type { Deps } from '#dashboard/deps.ts'
import { listKeyViews, rotateKey } from './rotate.ts'

export function keyRoutes(deps: Deps) {
  return new Elysia({ prefix: '/keys' })
    .get('', async () => ({ keys: await listKeyViews(deps) }))
    .post('/rotate', async ({ request, status }) => {
      await rotateKey(deps, callerOf(request).user.id)
      return status(201, { keys: await listKeyViews(deps) })
    })
}
