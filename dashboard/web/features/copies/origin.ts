import type { NewClone } from '#dashboard/web/api/copies.ts'
import { formatBytes, formatTime } from '#dashboard/web/ui/format.ts'
import { apexOf } from '#shared/kernel/names.ts'

/** What is copied: a site, one of its backups, or a backup whose site is deleted. */
export interface Origin {
  domain: string
  /** The site to copy; undefined when it is deleted. */
  site?: { id: number; server_id: number; php?: string } | undefined
  /** Newest first. */
  backups: readonly OriginBackup[]
}

export interface OriginBackup {
  id: number
  at: string
  bytes: number
  target: string
}

/** The choice of what is copied: the site as it is now, or the id of a backup. */
export type Chosen = 'now' | number

export const fromOf = ({ site }: Origin, chosen: Chosen): NewClone['from'] | undefined => {
  if (chosen !== 'now') return { kind: 'backup', backup_id: chosen }
  return site && { kind: 'site', site_id: site.id }
}

export const backupName = ({ at, bytes, target }: OriginBackup): string =>
  `Backup of ${formatTime(at)}, ${formatBytes(bytes)}, in ${target}`

export const stagingName = (domain: string): string => `staging.${apexOf(domain)}`
