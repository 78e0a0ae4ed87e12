import { z } from 'zod'
import type { Descriptions } from '#dashboard/http/describe.ts'
import { SettingBody, SettingChanged, Settings } from '#shared/api/settings.ts'

export const settingsApi: Descriptions = {
  getSettings: {
    route: 'GET /api/settings',
    summary: 'Show the settings',
    details: '`GET /api/fleet/settings` has the others, too.',
    answers: { 200: { about: 'Three of them.', json: z.strictObject({ settings: Settings }) } },
  },
  changeSetting: {
    route: 'PUT /api/settings/:key',
    summary: 'Change a setting',
    details: 'Takes effect at once. 422 on `key` for an unknown one.',
    body: SettingBody,
    answers: { 200: { about: 'Changed.', json: SettingChanged } },
  },
}
