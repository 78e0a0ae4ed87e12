import { z } from 'zod'
import { without_backup } from '#shared/backups/without-backup.ts'
import { command } from '#shared/kernel/command.ts'
import { Domain, Id, TrueOrFalse } from '#shared/kernel/fields.ts'
import { completesWith, operationType, SAME_DOMAIN } from '#shared/kernel/operation-type.ts'
import { ReplacementResult } from './site.refresh.ts'

const MAX_TABLES = 1000

const Tables = z
  .array(
    z
      .string('Must be a string')
      .min(1, 'Must have 1 to 64 characters')
      .max(64, 'Must have 1 to 64 characters')
      .refine((name) => !/\p{Cc}/u.test(name), 'Must not have control characters'),
    'Must be a list of tables',
  )
  .max(MAX_TABLES, `Must have at most ${MAX_TABLES} tables`)
  .refine((tables) => new Set(tables).size === tables.length, 'Must not have duplicates')

export const PushResult = z.object({
  files: TrueOrFalse.describe(
    'All files except for wp-config.php; uploads are added, never removed.',
  ),
  tables: Tables,
  overwrite: Tables.default([]).describe(
    'Those of them that may be replaced although they changed on the live site.',
  ),
})

export const hasContentToPush = ({
  files,
  tables,
}: {
  files: boolean
  tables: readonly string[]
}) => files || tables.length > 0
export const NOTHING_TO_PUSH = {
  path: ['tables'],
  error: 'Must name tables, or files must be true',
}

const sitePush = command({
  name: 'site.push',
  summary: 'Push files and tables of a staging site to its live site',
  changes: true,
  minutes: 24 * 60,
  silent_minutes: 30,
  params: PushResult.extend({
    domain: Domain.describe('The live site.'),
    from: Domain.describe('Its staging site, on the same server.'),
  }).refine(hasContentToPush, NOTHING_TO_PUSH),
  result: ReplacementResult,
})

export const sitePushType = operationType({
  name: 'Push to live site',
  title: 'Push the staging site to',
  target: 'site',
  command: sitePush,
  right: 'operate',
  params: PushResult.extend({
    staging_id: Id.describe('The staging site.'),
    without_backup,
  }).refine(hasContentToPush, NOTHING_TO_PUSH),
  confirms: SAME_DOMAIN,
  outcome: completesWith(ReplacementResult),
  bulk: null,
})
