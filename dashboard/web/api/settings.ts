import { queryOptions } from '@tanstack/react-query'
import type { SettingKey } from '#shared/api/settings.ts'
import { api, take } from './client.ts'

/** What is usual for the whole dashboard. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: async () => (await take(api.fleet.settings.get())).settings,
})

export const changeSetting = (key: SettingKey, value: unknown) =>
  take(api.settings({ key }).put({ value }))

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: async () => (await take(api.keys.get())).keys,
})

/** All keys, with the new one. */
export const rotateKey = async () => (await take(api.keys.rotate.post())).keys
