import { z } from 'zod'
import { ConfigError } from '#agent/kernel/host/errors.ts'
import type { Files } from '#agent/kernel/host/ports.ts'
import { AccessKey, Region } from '#shared/backups/backup.ts'
import { Certificates, SecretKey } from '#shared/backups/backup-secret.ts'

const days = z.int('must be a whole number of days').min(0).max(36_500)
const path = z
  .string()
  .regex(/^(\/[\w@+=-][\w.@+=-]*)+$/, 'must be an absolute path of letters, digits and . _ @ + = -')
const text = z.string().min(1, 'must not be empty').max(1024)

const Store = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('folder'), path }),
    z.strictObject({
      kind: z.literal('s3'),
      url: text.regex(/^https:\/\/[^/?#@\s]+\/?$/, 'must be https:// and the name of a server'),
      bucket: text.regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket'),
      prefix: text.regex(/^[\w.-]+(\/[\w.-]+)*$/, 'must be a path such as hosting/backups'),
      region: Region.default('us-east-1'),
      user: AccessKey,
      secret: SecretKey,
      ca: Certificates,
    }),
  ],
  { error: 'must have a kind: folder or s3' },
)
export type StoreSettings = z.output<typeof Store>

/** The rules of which backups stay in days since they arrived; `all_days` since a newer one did. */
const KeepRules = z.strictObject({
  /** The days for which all backups stay. */
  all_days: days.min(1),
  /** The days for which the first backup of each day, week and month stays. */
  daily_days: days.default(0),
  weekly_days: days.default(0),
  monthly_days: days.default(0),
  /** The days for which the last and the last proven backup of an ended site stay; null: ever. */
  last_days: days.min(30).nullable().default(null),
})
export type KeepRules = z.output<typeof KeepRules>

const KeeperConfig = z.strictObject({
  stores: z.array(Store).min(1, 'must have a store'),
  keep: KeepRules,
  /**
   * The repositories of sites that have ended, for which alone `last_days` applies: no keeper can
   * distinguish a deleted site from one whose backups fail.
   */
  ended: z.array(text).max(10_000).default([]),
  /** The number of parts of the stored data, of which each run reads the next one. */
  check_parts: z.int().min(1).max(256).default(30),
  /** The amount of unused data that stays, since repacking it costs more. */
  max_unused: z
    .string()
    .regex(/^(\d{1,3}%|\d+[KMGT])$/, 'must be a share such as 10% or a size such as 5G')
    .default('10%'),
  /** The maximum amount of data that a run writes again in one repository. */
  max_repack: z
    .string()
    .regex(/^\d+[KMGT]$/, 'must be a size such as 2G')
    .default('2G'),
  run_minutes: z.int().min(1).max(1440).default(240),
  /** The path of a restic 0.19 or newer; the pinned one, downloaded once, by default. */
  restic: path.optional(),
})
export type KeeperConfig = z.output<typeof KeeperConfig>

/** Returns the rules for one repository. */
export const keepRulesOf = ({ keep, ended }: KeeperConfig, repository: string): KeepRules => ({
  ...keep,
  last_days: ended.includes(repository) ? keep.last_days : null,
})

export const CONFIG_PATH = '/etc/hosting-keeper/config.json'

/** Throws a ConfigError with one readable line for the first bad value. */
export async function readKeeperConfig(files: Files, at: string): Promise<KeeperConfig> {
  const written = await files.read(at)
  if (written === undefined) throw new ConfigError(`${at} is missing: create it`)
  const stat = await files.stat(at)
  if (stat && (stat.mode & 0o077) !== 0) {
    throw new ConfigError(`${at} must be readable by its owner alone: chmod 600 ${at}`)
  }
  const parsed = KeeperConfig.safeParse(jsonIn(written, at))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const rule = issue?.message.replace(/^Must/, 'must')
  throw new ConfigError(`${at}: ${issue?.path.join('.')} ${rule}`)
}

function jsonIn(text: string, at: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ConfigError(`${at} is not JSON`)
  }
}
