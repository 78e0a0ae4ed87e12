import { useMutation, useQuery } from '@tanstack/react-query'
import { Archive } from 'lucide-react'
import { useState } from 'react'
import { siteBackupsQuery } from '#dashboard/web/api/backups.ts'
import { createBackup } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useStart } from '#dashboard/web/features/sites/use-show-operation.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { toastError } from '#dashboard/web/ui/toasts.tsx'
import type { BackupView, SiteBackups } from '#shared/api/backups.ts'
import { BackupTable } from './backup-table.tsx'
import { Obstacle } from './obstacle.tsx'
import { RestoreBackup } from './restore-backup.tsx'
import { Restored } from './restored.tsx'

/** The backups of a site, what prevents them, and the last restore while it can be undone. */
export function BackupsTab({ site }: { site: Site }) {
  const { data, error, refetch } = useQuery(siteBackupsQuery(site))
  return (
    <div className="flex flex-col gap-5">
      {data?.obstacle && <Obstacle of={data.obstacle} />}
      {data?.undo && <Restored site={site} undo={data.undo} />}
      <Card
        title="Backups"
        flush
        actions={data?.obstacle === null && data.backups.length > 0 && <BackUp site={site} />}
      >
        <QueryState of={{ data, error, refetch }} flush />
        {data && <List site={site} data={data} />}
      </Card>
    </div>
  )
}

function BackUp({ site }: { site: Site }) {
  const start = useStart(site.id)
  const { mutate, isPending } = useMutation({
    mutationFn: () => start(createBackup(site)),
    onError: toastError,
  })
  return (
    <Button kind="primary" icon={<Archive />} busy={isPending} onClick={() => mutate()}>
      Back up now
    </Button>
  )
}

function List({ site, data: { backups, obstacle } }: { site: Site; data: SiteBackups }) {
  const [chosen, setChosen] = useState<BackupView>()
  const [open, setOpen] = useState(false)
  if (backups.length === 0)
    return (
      <Empty
        icon={<Archive />}
        title="This site has no backups"
        action={obstacle === null && <BackUp site={site} />}
      >
        A backup has the files and the database of the site, encrypted. Unchanged data is stored
        once, so that each further backup needs little time and space.
      </Empty>
    )
  const choose = (backup: BackupView) => {
    setChosen(backup)
    setOpen(true)
  }
  return (
    <>
      <p className="px-4 pt-3 text-muted">{formatCount(backups.length, 'backup')}, newest first</p>
      <BackupTable backups={backups} onRestore={choose} />
      {chosen && (
        <RestoreBackup site={site} backup={chosen} open={open} onClose={() => setOpen(false)} />
      )}
    </>
  )
}
