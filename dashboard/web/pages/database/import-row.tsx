import { Upload } from 'lucide-react'
import type { Site } from '#dashboard/web/api/sites.ts'
import { AccessRow } from '#dashboard/web/features/sites/access/access-row.tsx'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { ImportDialog } from './import-dialog.tsx'

/** Imports an export of this site, or a dump of another host. */
export function ImportRow({ site }: { site: Site }) {
  const { dialog, show } = useDialog()
  const isOffline = useServerOffline(site)
  return (
    <>
      <AccessRow
        name="Import"
        about="A SQL dump of tables, such as one of mariadb-dump or phpMyAdmin; it can be undone for a week."
      >
        <Button icon={<Upload />} disabled={isOffline} onClick={show}>
          Import database
        </Button>
      </AccessRow>
      {dialog.open && <ImportDialog {...dialog} site={site} />}
    </>
  )
}
