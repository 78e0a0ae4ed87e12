import { useQuery } from '@tanstack/react-query'
import { siteBackupsQuery } from '#dashboard/web/api/backups.ts'
import type { SitePlace } from '#dashboard/web/api/sites.ts'
import { formatRelative } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { useNow } from '#dashboard/web/ui/time.tsx'
import { BackUpFirst } from './back-up-first.tsx'

const DAY_MS = 24 * 3600_000

/**
 * Shown before a change that could lose data: the age of the last backup. Nothing while no backup
 * can be created.
 */
export function LastBackup({ site }: { site: SitePlace }) {
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
