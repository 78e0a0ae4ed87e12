import { onlyWithUnknown, textsIn } from '#dashboard/web/ui/address.ts'
import type { BackupCoverageQuery } from '#shared/backups/api/backup-coverage.ts'

const BACKUP_PARTS = ['sites', 'targets', 'kit'] as const
export type BackupPart = (typeof BACKUP_PARTS)[number]

const FILTERS = ['q', 'server_id', 'state', 'page'] as const
type Filter = (typeof FILTERS)[number] & keyof BackupCoverageQuery

const NAMES = [...FILTERS, 'part', 'operation'] as const

/** The address has the open tab, the shown check of a target, and the filters of the sites. */
export type BackupsSearch = { [name in Filter]?: string | undefined } & {
  part?: BackupPart | undefined
  operation?: string | undefined
}

function readBackupsSearch(raw: Record<string, unknown>): BackupsSearch {
  const { operation } = raw
  const part = BACKUP_PARTS.find((each) => each === raw.part && each !== 'sites')
  const isId = typeof operation === 'string' && /^[\w-]{1,64}$/.test(operation)
  return { ...textsIn(raw, FILTERS), ...(part && { part }), ...(isId && { operation }) }
}

export const backupsSearch = onlyWithUnknown(readBackupsSearch, NAMES)
