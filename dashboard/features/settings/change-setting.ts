import { z } from 'zod'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { invalid } from '#shared/kernel/errors.ts'
import { parse } from '#shared/kernel/parse.ts'
import { PHP_VERSIONS } from '#shared/php/php-support.ts'
import {
  type ChangeSetting,
  isSettingKey,
  SETTINGS,
  type SettingKey,
} from '#shared/settings/api/settings.ts'
import { hasPhp, updateSetting } from './queries.ts'

export interface SettingDeps extends Pick<CommonDeps, 'db' | 'clock'> {
  scheduler: { setInterval(seconds: number): void }
}

/** Parses the key of a setting. Throws 422 for an unknown one. */
export function settingKey(key: string): SettingKey {
  if (isSettingKey(key)) return key
  throw invalid({ key: [`Must be one of ${Object.keys(SETTINGS).join(', ')}`] })
}

/** Changes a setting, which takes effect immediately. Throws 422 on `value` for an invalid one. */
export async function changeSetting(
  deps: SettingDeps,
  key: SettingKey,
  input: z.output<typeof ChangeSetting>,
  user_id: number,
) {
  const { value } = parse(z.object({ value: SETTINGS[key] }), input)
  if (key === 'default_php') await refuseUnknownPhp(deps.db, String(value))
  const entry = entryOf(deps.clock, { type: 'settings.update', user_id })
  await updateSetting(deps.db, key, value, entry)
  if (key === 'sync_interval') deps.scheduler.setInterval(Number(value))
  return { key, value, updated: true as const }
}

/** Throws 422 for a version that is newer than this program, unless a server has it. */
async function refuseUnknownPhp(db: Database, php: string): Promise<void> {
  if (PHP_VERSIONS.includes(php) || (await hasPhp(db, php))) return
  const known = `${PHP_VERSIONS[0]} to ${PHP_VERSIONS.at(-1)}`
  throw invalid({ value: [`Must be a PHP version that exists (${known}) or that a server has`] })
}
