import { Elysia } from 'elysia'
import { callerOf } from '#dashboard/auth/caller.ts'
import type { Deps } from '#dashboard/deps.ts'
import { readJson } from '#dashboard/http/body.ts'
import { Settings } from '#shared/api/settings.ts'
import { changeSetting } from './change-setting.ts'
import { getSettings } from './queries.ts'

export function settingsRoutes(deps: Deps) {
  return new Elysia({ prefix: '/settings' })
    .get('', async () => ({
      settings: Settings.strip().parse(await getSettings(deps.db)),
    }))
    .put('/:key', async ({ request, params }) => {
      const input = await readJson(request)
      return changeSetting(deps, params.key, input, callerOf(request).user.id)
    })
}
