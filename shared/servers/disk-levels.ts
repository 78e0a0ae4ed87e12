import type { DISK_LEVELS } from '#shared/kernel/values.ts'
import type { DiskUse } from '#shared/servers/api/disk-use.ts'

const NEAR = 0.8

/** Returns known bytes of files and database; undefined when both are unknown. */
export function usedBytes({ bytes, database_bytes }: DiskUse): number | undefined {
  if (bytes === null && database_bytes === null) return undefined
  return (bytes ?? 0) + (database_bytes ?? 0)
}

/** Returns the used share of each limit, 1 for all of it; unknown use counts as zero. */
export function diskShares(use: DiskUse): { bytes: number; files: number } {
  const { files, limit_bytes, limit_files } = use
  return { bytes: (usedBytes(use) ?? 0) / limit_bytes, files: (files ?? 0) / limit_files }
}

/** Returns the level that needs attention; null for none. */
export function diskLevelOf(use: DiskUse): (typeof DISK_LEVELS)[number] | null {
  const shares = diskShares(use)
  const share = Math.max(shares.bytes, shares.files)
  if (share >= 1) return 'over'
  if (use.bytes === null || use.files === null) return 'unknown'
  return share >= NEAR ? 'near' : null
}
