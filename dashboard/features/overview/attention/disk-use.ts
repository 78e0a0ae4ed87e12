import type { AttentionItem } from '#shared/overview/api/attention.ts'
import type { DiskUse } from '#shared/servers/api/disk-use.ts'
import { diskLevelOf, diskShares, usedBytes } from '#shared/servers/disk-levels.ts'
import { item } from './item.ts'
import type { DiskSite } from './queries.ts'

const UNKNOWN =
  'Its disk use could not be measured: look on the server for folders that are very large or that its user cannot read'

/** A site near or over a limit of its tier, or without a measurement. */
export function diskUse({ id, server_id, domain, tier, disk }: DiskSite): AttentionItem[] {
  const level = disk && diskLevelOf(disk)
  if (!level) return []
  const advice = tier === 'large' ? 'remove what is not needed' : 'remove files, or raise its tier'
  const reason =
    level === 'unknown' ? UNKNOWN : `It uses ${used(disk)} of its tier ${tier}: ${advice}`
  const severity = level === 'over' ? 'critical' : 'warning'
  return [item({ severity, server_id, site_id: id, name: domain, reason, at: disk.measured_at })]
}

/** The limit with the higher use. */
function used(use: DiskUse): string {
  const shares = diskShares(use)
  if (shares.files > shares.bytes)
    return `${whole(use.files ?? 0)} files of the ${whole(use.limit_files)}`
  return `${gigabytes(usedBytes(use) ?? 0)} of the ${gigabytes(use.limit_bytes)}`
}

const whole = (value: number) => value.toLocaleString('en-US')
/** Rounded down, so that it never exceeds the actual use. */
const gigabytes = (bytes: number) => `${(Math.floor(bytes / 1e8) / 10).toLocaleString('en-US')} GB`
