import { z } from 'zod'
import { PhpVersion } from '../fields.ts'
import { body } from './body.ts'

const positive = 'Must be a positive integer'

/** One schema per key: the JSON type counts, so `"60"` is no integer. */
export const SETTINGS = {
  default_php: PhpVersion,
  sync_interval: z
    .number(positive)
    .int(positive)
    .positive(positive)
    .max(31_536_000, 'Must be at most one year in seconds'),
  email_notifications: z.boolean('Must be true or false'),
} as const

export type SettingKey = keyof typeof SETTINGS

export const Settings = z.strictObject(SETTINGS).meta({ id: 'Settings' })
export type Settings = z.infer<typeof Settings>

/** `sync_interval` is in seconds. */
export const DEFAULT_SETTINGS: Settings = {
  default_php: '8.2',
  sync_interval: 60,
  email_notifications: true,
}

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(SETTINGS, key)
}

export const ChangeSetting = body({ value: z.unknown().optional() })

const value = z.union(Object.values(SETTINGS)).describe('Of the type that the key asks for.')

/** What ChangeSetting comes to once the key is known. */
export const SettingBody = body({ value }).meta({ id: 'ChangeSetting' })

export const SettingChanged = z
  .strictObject({
    key: z.enum(['default_php', 'sync_interval', 'email_notifications']),
    value,
    updated: z.literal(true),
  })
  .meta({ id: 'SettingChanged', description: 'A setting with the value that it has now.' })
