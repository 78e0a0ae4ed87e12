import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { siteBackupsQuery } from '#dashboard/web/api/backups.ts'
import { refreshStaging } from '#dashboard/web/api/copies.ts'
import type { SitePlace } from '#dashboard/web/api/sites.ts'
import { SourceChoice } from '#dashboard/web/features/copies/choices.tsx'
import { type Chosen, fromOf } from '#dashboard/web/features/copies/origin.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import type { DialogState } from '#dashboard/web/ui/dialog.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

interface RefreshStagingProps extends DialogState {
  staging: SitePlace & { domain: string }
  live: SitePlace & { domain: string }
}

/** Replaces the files and the database of a staging site by those of its live site. */
export function RefreshStaging({ staging, live, ...dialog }: RefreshStagingProps) {
  const { data } = useQuery({ ...siteBackupsQuery(live), enabled: dialog.open })
  const [chosen, setChosen] = useState<Chosen>('now')
  const origin = { domain: live.domain, site: live, backups: data?.backups ?? [] }
  const from = fromOf(origin, chosen)
  return (
    <WorkDialog
      {...dialog}
      title={`Refresh ${unicodeOf(staging.domain)}`}
      about={`Its files and its database become those of ${unicodeOf(live.domain)}. Address and password stay.`}
      site={staging}
      work={from && refreshStaging(staging, from)}
      action="Refresh staging site"
      isDestructive
    >
      <SourceChoice origin={origin} value={chosen} onChange={setChosen} error={undefined} />
      <Notice kind="warn" title="Changes that were made on the staging site are replaced">
        Everything is copied first. Then the staging site pauses for a moment. The previous state is
        kept on the server for a week, and the refresh can be undone until then.
      </Notice>
    </WorkDialog>
  )
}
