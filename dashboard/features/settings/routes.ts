import { shows } from '#dashboard/kernel/http/answers.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { ChangeSetting, SettingChanged, Settings } from '#shared/settings/api/settings.ts'
import { changeSetting, type SettingDeps, settingKey } from './change-setting.ts'
import { getSettings } from './queries.ts'

const route = routesWith<SettingDeps>()

export const settingsRoutes = {
  getSettings: route({
    at: 'GET /api/settings',
    ignores_unknown: true,
    summary: 'Show the settings',
    details: '`GET /api/fleet/settings` has the others, too.',
    right: 'read',
    answers: shows('Three of them.', { settings: Settings }),
    run: async ({ deps }) => ({ settings: Settings.strip().parse(await getSettings(deps.db)) }),
  }),
  changeSetting: route({
    at: 'PUT /api/settings/:key',
    ignores_unknown: true,
    summary: 'Change a setting',
    details: 'Takes effect at once. 422 on `key` for an unknown one.',
    right: 'admin',
    loads: ({ params }) => settingKey(params.key),
    body: ChangeSetting,
    answers: { 200: { about: 'Changed.', json: SettingChanged } },
    run: ({ deps, loaded, body, caller }) => changeSetting(deps, loaded, body, caller.user.id),
  }),
}
