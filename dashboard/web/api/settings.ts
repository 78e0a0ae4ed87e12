import { queryOptions } from '@tanstack/react-query'
import type { SettingKey } from '#shared/settings/api/settings.ts'
import { call } from './client.ts'
import { withConfirmation } from './password-confirmation.ts'

/** The settings of the whole dashboard. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: async () => (await call('GET /api/fleet/settings')).settings,
})

export const changeSetting = (key: SettingKey, value: unknown) =>
  call('PUT /api/settings/:key', { params: { key }, body: { value } })

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: async () => (await call('GET /api/keys')).keys,
})

/** All keys, with the new one. */
export const rotateKey = async () =>
  (await withConfirmation(() => call('POST /api/keys/rotate'))).keys

export const notificationsQuery = queryOptions({
  queryKey: ['notifications'],
  queryFn: async () => (await call('GET /api/fleet/notifications')).notifications,
})

/** Sends a message to the user; returns the answer of the SMTP server. */
export const testNotifications = () => call('POST /api/fleet/notifications/test')
