import { z } from 'zod'
import { BackupExcludes } from '#shared/backups/backup-exclude.ts'
import { BACKUP_INTERVALS, BackupsPerServer } from '#shared/backups/backup-schedule.ts'
import { body } from '#shared/kernel/api/body.ts'
import { Count, RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import { Id, oneOf, Tag, TrueOrFalse } from '#shared/kernel/fields.ts'

const INTERVALS_OR_DEFAULT = ['default', ...BACKUP_INTERVALS] as const
const tag = z.string()

const Source = z.strictObject({
  kind: z.enum(['site', 'tag', 'fleet']),
  tag: tag.nullable().describe('The tag of the server whose rule is used.'),
})
/** The source of a value that is used for a site. */
export type SettingSource = z.infer<typeof Source>

/** The fields of a site's backup schedule, which are part of the answer with its backups. */
export const schedule = {
  every: z
    .enum(INTERVALS_OR_DEFAULT)
    .describe('Its own interval; default: that of a tag of its server, or the setting.'),
  target_id: RecordId.nullable().describe(
    'Its own target; null: that of a tag of its server, or the default one.',
  ),
  backup_first: z
    .boolean()
    .nullable()
    .describe(
      'Whether it is backed up before changes; null: as a tag of its server or the setting says. A staging site: only if it is true here.',
    ),
  exclude: z
    .array(z.string())
    .describe('What its backups leave out: paths below its public folder.'),
  in_effect: z
    .strictObject({
      every: z.enum(BACKUP_INTERVALS),
      every_from: Source,
      target_id: RecordId.nullable().describe('Null: there is no target.'),
      target_from: Source,
      backup_first: z
        .boolean()
        .describe('Before operations that change files or database, once it can be backed up.'),
      backup_first_from: Source,
    })
    .describe('What is used, and where it comes from.'),
  next_at: Timestamp.nullable().describe(
    'When its next backup starts at the earliest; null while none would start.',
  ),
}

export const SetBackupSettings = body({
  every: oneOf(INTERVALS_OR_DEFAULT),
  target_id: Id.nullable(),
  backup_first: TrueOrFalse.nullable().optional().describe('Default: unchanged.'),
  exclude: BackupExcludes.optional().describe('Default: unchanged.'),
}).meta({ id: 'SetBackupSettings' })

export const BackupSettings = z.strictObject(schedule).meta({
  id: 'BackupSettings',
  description: 'The automatic backups of a site: when, where, and what they leave out.',
})
export type BackupSettings = z.infer<typeof BackupSettings>

const rule = {
  every: z.enum(INTERVALS_OR_DEFAULT).describe('default: as the setting `backup_every`.'),
  target_id: RecordId.nullable().describe('Null: the default one.'),
  backup_first: z.boolean().nullable().describe('Null: as the setting `backup_first`.'),
  per_server: z
    .number()
    .nullable()
    .describe(
      'How many backups run at the same time on a server with the tag; null: as the setting `backups_per_server`.',
    ),
}

export const BackupRule = z
  .strictObject({ tag, ...rule, servers: Count.describe('Servers with the tag.') })
  .meta({
    id: 'BackupRule',
    description: 'When and where sites are backed up whose server has a tag.',
  })

export type BackupRule = z.infer<typeof BackupRule>

export const BackupRules = z
  .strictObject({
    rules: z.array(BackupRule),
    version: z.string().describe('Changes with every rule; sent with a change.'),
  })
  .meta({ id: 'BackupRules', description: 'All backup rules, by tag.' })
export type BackupRules = z.infer<typeof BackupRules>

const Rule = z.strictObject({
  tag: Tag,
  every: oneOf(INTERVALS_OR_DEFAULT),
  target_id: Id.nullable(),
  backup_first: TrueOrFalse.nullable().default(null),
  per_server: BackupsPerServer.nullable().default(null),
})

const MAX_RULES_MESSAGE = 'Must have at most 100 rules'
export const SetBackupRules = body({
  version: z
    .string('Must be the version that was read')
    .describe('That of the rules that were read.'),
  rules: z
    .array(Rule, { error: 'Must be a list of rules' })
    .max(100, MAX_RULES_MESSAGE)
    .refine(
      (rules) => new Set(rules.map((each) => each.tag)).size === rules.length,
      'Must have one rule for each tag',
    ),
}).meta({ id: 'SetBackupRules' })
export type SetBackupRules = z.infer<typeof SetBackupRules>
