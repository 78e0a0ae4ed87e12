import { useQuery } from '@tanstack/react-query'
import { Archive } from 'lucide-react'
import { useState } from 'react'
import { siteBackupsQuery } from '#dashboard/web/api/backups.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { CloneSite } from '#dashboard/web/features/copies/clone-site.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import type { BackupView, SiteBackups } from '#shared/backups/api/backups.ts'
import { BackUp } from './back-up.tsx'
import { BackupTable } from './backup-table.tsx'
import { GoneBackups } from './gone-backups.tsx'
import { Obstacle } from './obstacle.tsx'
import { RefreshList } from './refresh-list.tsx'
import { RestoreBackup } from './restore-backup.tsx'
import { Restored } from './restored.tsx'
import { ScheduleCard } from './schedule-card.tsx'

/** The backups of a site, what prevents them, and the last restore while it can be undone. */
export function BackupsTab({ site }: { site: Site }) {
  const { data, error, refetch } = useQuery(siteBackupsQuery(site))
  return (
    <div className="flex flex-col gap-5">
      {data?.obstacle && <Obstacle of={data.obstacle} />}
      {data?.undo && <Restored site={site} undo={data.undo} />}
      {data && <ScheduleCard site={site} data={data} />}
      <Card
        title="Backups"
        flush
        actions={
          <>
            {data && hasStored(data) && <RefreshList site={site} />}
            {data?.obstacle === null && data.backups.length > 0 && (
              <BackUp site={site} target_id={data.in_effect.target_id} />
            )}
          </>
        }
      >
        <QueryState of={{ data, error, refetch }} flush />
        {data && <List site={site} data={data} />}
        {data && data.gone.length > 0 && <GoneBackups gone={data.gone} />}
      </Card>
    </div>
  )
}

const hasStored = ({ backups, gone }: SiteBackups) => backups.length + gone.length > 0

function List({ site, data: { backups, obstacle, in_effect } }: { site: Site; data: SiteBackups }) {
  const [chosen, setChosen] = useState<BackupView>()
  const [dialog, setDialog] = useState<'restore' | 'copy'>()
  if (backups.length === 0)
    return (
      <Empty
        icon={<Archive />}
        title="This site has no backups"
        action={
          obstacle === null && (
            <span className="flex gap-2">
              <BackUp site={site} target_id={in_effect.target_id} />
            </span>
          )
        }
      >
        A backup has the files and the database of the site, encrypted. Unchanged data is stored
        once, so that each further backup needs little time and space.
      </Empty>
    )
  const choose = (next: 'restore' | 'copy') => (backup: BackupView) => {
    setChosen(backup)
    setDialog(next)
  }
  const state = (of: typeof dialog) => ({
    open: dialog === of,
    onClose: () => setDialog(undefined),
  })
  return (
    <>
      <p className="px-4 pt-3 text-muted">{formatCount(backups.length, 'backup')}, newest first</p>
      <BackupTable
        site={site}
        backups={backups}
        onRestore={choose('restore')}
        onCopy={choose('copy')}
      />
      {chosen && <RestoreBackup site={site} backup={chosen} {...state('restore')} />}
      {chosen && <CloneSite site={site} chosen={chosen.id} {...state('copy')} />}
    </>
  )
}
