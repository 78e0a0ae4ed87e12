import { formatCount, formatDate } from '#dashboard/web/ui/format.ts'
import type { Tone } from '#dashboard/web/ui/status.tsx'
import type { CoverageState } from '#shared/backups/api/backup-coverage.ts'
import type { BackupTargetView, ProofView, SiteBackups } from '#shared/backups/api/backups.ts'
import type { BackupInterval } from '#shared/backups/backup-schedule.ts'

type Place = BackupTargetView['place']

export const KIND_NAMES: Record<Place['kind'], string> = {
  rest: 'REST server',
  s3: 'S3 storage',
  sftp: 'SFTP server',
  local: 'Folder of the server',
}

/** The name and the colour of each state of a site's backups. */
export const COVERAGE: Record<CoverageState, { name: string; tone: Tone }> = {
  ok: { name: 'Backed up', tone: 'good' },
  unproven: { name: 'Not proven', tone: 'warn' },
  failed: { name: 'Proof failed', tone: 'bad' },
  late: { name: 'Late', tone: 'bad' },
  never: { name: 'No backup', tone: 'bad' },
  off: { name: 'Off', tone: 'plain' },
}

export const EVERY: Record<BackupInterval, string> = {
  off: 'Off',
  daily: 'Daily',
  weekly: 'Weekly',
}

/** Such as `22 Nov 2026: 1,204 files, 12 tables, 3 pages`. */
export function provenText({ at, files, tables, pages }: ProofView): string {
  const parts = [formatCount(files, 'file'), formatCount(tables, 'table')]
  return `${formatDate(at)}: ${[...parts, formatCount(pages, 'page')].join(', ')}`
}

/** Such as `hosting at backup.example:8000`. */
export function placeName(place: Place): string {
  if (place.kind === 'local') return place.path
  if (place.kind === 'sftp')
    return `${place.user}@${place.host}${place.port === 22 ? '' : `:${place.port}`}:${place.path}`
  if (place.kind === 's3') return `${place.bucket}/${place.prefix} at ${hostOf(place.url)}`
  return `${place.user} at ${hostOf(place.url)}`
}

const hostOf = (url: string): string => {
  const { host, pathname } = URL.parse(url) ?? { host: url, pathname: '/' }
  return `${host}${pathname.replace(/\/$/, '')}`
}

/** What to do about a target that lets servers delete backups. */
export const DELETION_ADVICE: Record<Place['kind'], string> = {
  rest: 'Start rest-server with --append-only, then check the target again.',
  s3: 'Use an access key without the right to delete, and a bucket with object lock.',
  sftp: 'SFTP cannot refuse deletion. Use a REST server with --append-only, or snapshots of its disk.',
  local: 'The folder is lost with the server. Add a target on another machine.',
}

/** Why no backup of a site can start, and what to do. */
export const OBSTACLES: Record<
  NonNullable<SiteBackups['obstacle']>,
  { title: string; advice: string }
> = {
  no_kit: {
    title: 'No recovery kit is confirmed',
    advice: 'The kit opens backups without this dashboard. Create it before the first backup.',
  },
  no_target: {
    title: 'There is no backup target',
    advice: 'Add a place for backups, and check it from a server.',
  },
  target_unchecked: {
    title: 'The default target has not been checked',
    advice: 'Check from a server that it can be written and read.',
  },
}
