import { z } from 'zod'
import type { Database } from '#dashboard/db/client.ts'
import { type Clock, timestamp } from '#dashboard/runtime/clock.ts'
import { ChangeSetting, isSettingKey, SETTINGS } from '#shared/api/settings.ts'
import { invalid } from '#shared/errors.ts'
import { parse } from '#shared/parse.ts'
import { PHP_VERSIONS } from '#shared/php-support.ts'
import { hasPhp, updateSetting } from './queries.ts'

interface Deps {
  db: Database
  clock: Clock
  scheduler: { setInterval(seconds: number): void }
}

/** 422 on `key` for an unknown one, on `value` for one that breaks its rule. Takes effect at once. */
export async function changeSetting(deps: Deps, key: string, input: unknown, user_id: number) {
  if (!isSettingKey(key))
    throw invalid({ key: [`Must be one of ${Object.keys(SETTINGS).join(', ')}`] })
  const body = parse(ChangeSetting, input)
  const { value } = parse(z.object({ value: SETTINGS[key] }), body)
  if (key === 'default_php') await refuseUnknownPhp(deps.db, String(value))
  await updateSetting(deps.db, key, value, {
    type: 'settings.update',
    domain: '',
    status: 'success',
    user_id,
    created_at: timestamp(deps.clock),
  })
  if (key === 'sync_interval') deps.scheduler.setInterval(Number(value))
  return { key, value, updated: true }
}

/** A version that is newer than this program is known once a server has it. */
async function refuseUnknownPhp(db: Database, php: string): Promise<void> {
  if (PHP_VERSIONS.includes(php) || (await hasPhp(db, php))) return
  const known = `${PHP_VERSIONS[0]} to ${PHP_VERSIONS.at(-1)}`
  throw invalid({ value: [`Must be a PHP version that exists (${known}) or that a server has`] })
}
