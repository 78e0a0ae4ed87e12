import { useQuery } from '@tanstack/react-query'
import { siteBackupsQuery } from '#dashboard/web/api/backups.ts'
import type { SitePlace } from '#dashboard/web/api/site-call.ts'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { formatRelative } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { useNow } from '#dashboard/web/ui/time.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { BackUpFirst } from './back-up-first.tsx'

const HOUR_MS = 3600_000

interface BeforeChangeProps {
  site: SitePlace & { domain: string; status?: string }
  /** Such as `Delete without a backup`. */
  label: string
  checked: boolean
  onChange: (checked: boolean) => void
}

/**
 * Shown before a change that could lose data: the site is backed up first, or how old its last
 * backup is.
 */
export function BeforeChange({ site, label, checked, onChange }: BeforeChangeProps) {
  const isFirst = useBackupFirst(site)
  if (!isFirst) return <LastBackup site={site} />
  return (
    <Notice kind={checked ? 'warn' : 'info'} title={checked ? 'No backup is made' : TITLE}>
      <p className="mb-2">
        {checked
          ? `The last backup of ${unicodeOf(site.domain)} is more than an hour old, or there is none.`
          : `The operation waits for the backup of ${unicodeOf(site.domain)}. If it fails, nothing changes.`}
      </p>
      <CheckField label={label} checked={checked} onChange={onChange} />
    </Notice>
  )
}

const TITLE = 'The site is backed up first'

/** Whether the dashboard backs the site up first: backups are set up and wanted, and the last one is more than an hour old. */
export function useBackupFirst(site: BeforeChangeProps['site']): boolean {
  const { data } = useQuery(siteBackupsQuery(site))
  const now = useNow()
  const isInUse = site.status === undefined || ['active', 'suspended'].includes(site.status)
  if (!data || !isInUse || data.obstacle !== null || !data.in_effect.backup_first) return false
  return !data.backups.some(({ at }) => now - Date.parse(at) < HOUR_MS)
}

const DAY_MS = 24 * 3600_000

/**
 * Shown before a change that could lose data: the age of the last backup. Nothing while no backup
 * can be created.
 */
function LastBackup({ site }: { site: SitePlace }) {
  const { data } = useQuery(siteBackupsQuery(site))
  const now = useNow()
  if (!data || (data.obstacle !== null && data.backups.length === 0)) return null
  const [last] = data.backups
  if (last && now - Date.parse(last.at) < DAY_MS)
    return (
      <p className="text-muted">
        Last backup: {formatRelative(last.at, now)}
        {last.proof?.proven && ', proven'}
      </p>
    )
  return (
    <Notice
      kind="warn"
      title={
        last
          ? `The last backup is from ${formatRelative(last.at, now)}`
          : 'This site has never been backed up'
      }
    >
      <BackUpFirst site_id={site.id} />, if you may need its present state.
    </Notice>
  )
}
