import { strictObject, z } from 'zod'
import {
  BACKUP_INTERVALS,
  BackupsPerServer,
  BackupWindow,
  PROOF_INTERVALS,
} from '#shared/backups/backup-schedule.ts'
import {
  DEFAULT_VISIT_INTERVAL,
  MAX_VISIT_INTERVAL,
  MIN_VISIT_INTERVAL,
} from '#shared/health/visits.ts'
import { openBody } from '#shared/kernel/api/body.ts'
import { oneOf, PhpVersion, TrueOrFalse } from '#shared/kernel/fields.ts'
import { ReportTime } from '#shared/reports/report-time.ts'

const positive = 'Must be a positive integer'

const MAX_CONCURRENT = 'Must be between 1 and 100'
const at_once = z
  .number(MAX_CONCURRENT)
  .int(MAX_CONCURRENT)
  .min(1, MAX_CONCURRENT)
  .max(100, MAX_CONCURRENT)

const positive_integer = z
  .number(positive)
  .int(positive)
  .min(1, positive)
  .max(31_536_000, 'Must be at most one year in seconds')

const VISITS = `Must be 0, or between ${MIN_VISIT_INTERVAL} and ${MAX_VISIT_INTERVAL}`
const VisitInterval = z
  .number(VISITS)
  .int(VISITS)
  .min(0, VISITS)
  .max(MAX_VISIT_INTERVAL, VISITS)
  .refine((seconds) => seconds === 0 || seconds >= MIN_VISIT_INTERVAL, VISITS)

/** The three settings that `GET /api/settings` returns. */
const CORE = {
  default_php: PhpVersion,
  sync_interval: positive_integer,
  email_notifications: TrueOrFalse,
} as const

/** The schema of each key: the JSON type counts, so `"60"` is no integer. */
export const SETTINGS = {
  ...CORE,
  visit_interval: VisitInterval.describe(
    'How often each site is requested from outside its server, in seconds: 60 to 86400, or 0 for never.',
  ),
  unattended_updates: TrueOrFalse.describe(
    'Whether servers install security updates automatically.',
  ),
  backup_every: oneOf(BACKUP_INTERVALS).describe(
    'How often sites are backed up that have no interval of their own.',
  ),
  backup_first: TrueOrFalse.describe(
    'Whether a site is backed up before an operation that changes its files or database, where it can be.',
  ),
  proof_every: oneOf(PROOF_INTERVALS).describe(
    'How often the newest backup of each site is restored into a hidden site and checked; monthly: every four weeks.',
  ),
  backup_window: BackupWindow.describe(
    'The window in which automatic backups and proofs start, in UTC; it may end on the next day.',
  ),
  backups_per_server: BackupsPerServer.describe(
    'How many backups run at the same time on a server, before automatic ones wait. A tag can have its own number.',
  ),
  backups_at_once: at_once.describe(
    'How many backups run at the same time on all servers, before automatic ones wait.',
  ),
  proofs_at_once: at_once.describe(
    'How many proofs run at the same time on all servers, before automatic ones wait: at most one on each server.',
  ),
  site_shell: TrueOrFalse.describe(
    'Whether people can be given a shell of a site, in addition to SFTP; turning it off removes no existing shell.',
  ),
  client_accounts: TrueOrFalse.describe(
    'Whether sites can be given SFTP accounts with a password; turning it off removes no existing account.',
  ),
  report_time: ReportTime.describe(
    'The day of the month, and the time in UTC, from which the reports of the month before are mailed.',
  ),
} as const

export type SettingKey = keyof typeof SETTINGS

export const Settings = z.strictObject(CORE).meta({ id: 'Settings' })

export const FleetSettings = z.strictObject(SETTINGS).meta({ id: 'FleetSettings' })
export type FleetSettings = z.infer<typeof FleetSettings>

/** `sync_interval` and `visit_interval` are in seconds. */
export const DEFAULT_SETTINGS: FleetSettings = {
  default_php: '8.2',
  sync_interval: 60,
  email_notifications: true,
  visit_interval: DEFAULT_VISIT_INTERVAL,
  unattended_updates: true,
  backup_every: 'daily',
  backup_first: true,
  proof_every: 'weekly',
  backup_window: { from: '01:00', to: '05:00' },
  backups_per_server: 1,
  backups_at_once: 4,
  proofs_at_once: 2,
  site_shell: false,
  client_accounts: false,
  report_time: { day: 1, at: '06:00' },
}

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(SETTINGS, key)
}

const value = z.union(Object.values(SETTINGS)).describe('Of the type of the key.')
const { $schema: _, ...documented } = z.toJSONSchema(value)

/** Checks the rule of a value after the key; the document lists all keys. */
export const ChangeSetting = openBody({
  value: z.unknown().optional().meta(documented),
}).meta({ id: 'ChangeSetting', required: ['value'] })

export const SettingChanged = strictObject({
  key: z.enum([
    'default_php',
    'sync_interval',
    'email_notifications',
    'visit_interval',
    'unattended_updates',
    'backup_every',
    'backup_first',
    'proof_every',
    'backup_window',
    'backups_per_server',
    'backups_at_once',
    'proofs_at_once',
    'site_shell',
    'client_accounts',
    'report_time',
  ]),
  value,
  updated: z.literal(true),
}).meta({ id: 'SettingChanged', description: 'A setting with its current value.' })
