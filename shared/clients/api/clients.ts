import { strictObject, z } from 'zod'
import { body } from '#shared/kernel/api/body.ts'
import { Count, RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import { Id } from '#shared/kernel/fields.ts'
import { DryRun } from '#shared/kernel/plan.ts'
import { ReportUpdate } from '#shared/reports/api/report.ts'

/** The states of a site in plain words. */
const CLIENT_STATES = ['up', 'slow', 'impaired', 'down', 'maintenance', 'unknown'] as const

/** The days of the numbers that a client sees. */
export const CLIENT_DAYS = 30
export const MAX_CLIENT_SITES = 500
export const MAX_CLIENT_BACKUPS = 100
/** The maximum of listed updates, made and pending. */
export const MAX_CLIENT_UPDATES = 50
const MAX_NOTE = 500

const SITE = {
  id: RecordId,
  domain: z.string(),
  state: z
    .enum(CLIENT_STATES)
    .describe(
      'up: it works. slow: it answers late. impaired: it works, with a problem. maintenance: visitors see a notice. unknown: it could not be checked.',
    ),
  since: Timestamp.nullable().describe('When the state started; null: unknown.'),
  requests: Count.nullable().describe(
    `The requests of the last ${CLIENT_DAYS} days; null: they are not counted.`,
  ),
  last_backup_at: Timestamp.nullable().describe('Null: there is no backup.'),
  last_proof_at: Timestamp.nullable().describe(
    'When a backup was last restored for a test, with success; null: never.',
  ),
}

const ClientSite = strictObject(SITE).meta({
  id: 'ClientSite',
  description: 'A site as a client of the agency sees it.',
})
export type ClientSite = z.infer<typeof ClientSite>

export const ClientSites = strictObject({
  sites: z.array(ClientSite).max(MAX_CLIENT_SITES).describe('By domain.'),
  more: z.boolean().describe('Whether there are more.'),
}).meta({ id: 'ClientSites' })
export type ClientSites = z.infer<typeof ClientSites>

export const ClientSiteDetail = strictObject({
  ...SITE,
  pages: Count.nullable().describe(
    `The shown pages of the last ${CLIENT_DAYS} days, without images and other files; null: they are not counted.`,
  ),
  days: z
    .array(
      strictObject({
        day: z.iso.date(),
        requests: Count.nullable(),
        pages: Count.nullable(),
      }),
    )
    .describe('The requests and the shown pages of each day (UTC); null: they were not counted.'),
  updates: strictObject({
    version: z.string().describe('The version of WordPress.'),
    read_at: Timestamp.describe('When the versions were read.'),
    made: z
      .array(ReportUpdate)
      .max(MAX_CLIENT_UPDATES)
      .describe(`The updates of the last ${CLIENT_DAYS} days, newest first.`),
    pending: z
      .array(ReportUpdate.omit({ at: true }))
      .max(MAX_CLIENT_UPDATES)
      .nullable()
      .describe('The newer versions that WordPress offers; null: unknown.'),
  })
    .nullable()
    .describe('Null: the site has no WordPress, or its versions were not read yet.'),
  backups: z
    .array(
      strictObject({
        id: RecordId,
        at: Timestamp,
        bytes: Count.describe('Files and database, uncompressed.'),
        proven: z
          .boolean()
          .nullable()
          .describe('Whether its last restore for a test succeeded; null: it was not tried.'),
      }),
    )
    .max(MAX_CLIENT_BACKUPS)
    .describe('Newest first.'),
  staging: z
    .array(strictObject({ domain: z.string(), url: z.string(), made_at: Timestamp }))
    .describe('Copies of the site for tests, which need a password of their own.'),
  people: z
    .array(
      strictObject({
        name: z.string(),
        since: Timestamp,
        is_you: z.boolean(),
        files: z.boolean().describe('Whether they can also open the files of the site.'),
      }),
    )
    .describe('The clients who see the site, by name.'),
  file_accounts: z
    .array(
      strictObject({
        label: z.string(),
        expires_at: Timestamp.nullable().describe('Null: it has no end.'),
      }),
    )
    .describe('The accounts with a password that open the files of the site, by label.'),
  request: strictObject({
    at: Timestamp,
    note: z.string(),
    backup_at: Timestamp.nullable().describe('Null: any backup.'),
  })
    .nullable()
    .describe('The open request for a restore.'),
  restore: strictObject({
    state: z.enum(['running', 'done', 'failed']),
    at: Timestamp,
  })
    .nullable()
    .describe('The last restore of the last seven days.'),
  may: strictObject({ restore: z.boolean(), login: z.boolean() }).describe(
    'Whether the caller may restore backups, and log in to WordPress.',
  ),
}).meta({ id: 'ClientSiteDetail', description: 'All that a client of the agency sees of a site.' })
export type ClientSiteDetail = z.infer<typeof ClientSiteDetail>

export const RequestRestore = body({
  backup_id: Id.nullable().default(null).describe('Null: the agency chooses.'),
  note: z
    .string('Must be a string')
    .trim()
    .max(MAX_NOTE, `Must have at most ${MAX_NOTE} characters`)
    .refine((text) => !/[\p{C}--\n]/v.test(text), 'Must not contain control characters')
    .default('')
    .describe('What happened.'),
}).meta({ id: 'RequestRestore' })
export type RequestRestore = z.output<typeof RequestRestore>

export const RestoreAsClient = body({ backup_id: Id, dry_run: DryRun }).meta({
  id: 'RestoreAsClient',
})
export type RestoreAsClient = z.output<typeof RestoreAsClient>

/** What a restore does, without the words of a plan for the agency. */
export const ClientRestorePlan = strictObject({
  plan: strictObject({
    backup_at: Timestamp,
    bytes: Count,
    database: z.boolean().describe('Whether the contents are replaced as well as the files.'),
    undo_days: Count.describe('The agency can undo the restore for so many days.'),
  }),
}).meta({ id: 'ClientRestorePlan', description: 'What a restore of a backup replaces.' })

export const ClientRestoreStarted = strictObject({
  restore: strictObject({ state: z.literal('running'), at: Timestamp }),
}).meta({
  id: 'ClientRestoreStarted',
  description: 'The restore runs; the site shows its end.',
})
