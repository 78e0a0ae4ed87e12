import { Download } from 'lucide-react'
import { exportAddress } from '#dashboard/web/api/site-database.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { isDemo } from '#dashboard/web/features/brand/demo.tsx'
import { AccessRow } from '#dashboard/web/pages/sites/detail/access/access-row.tsx'
import { Button, ButtonAnchor } from '#dashboard/web/ui/button.tsx'

/** The whole database as a compressed file; the databases of the demo are simulated. */
export function ExportRow({ site }: { site: Site }) {
  return (
    <AccessRow
      name="Export"
      about="All tables as a compressed SQL file, without views and routines. The activity log records it."
    >
      {isDemo ? (
        <Button icon={<Download />} disabled title="The databases of the demo are simulated">
          Export database
        </Button>
      ) : (
        <ButtonAnchor href={exportAddress(site)} download>
          <Download />
          Export database
        </ButtonAnchor>
      )}
    </AccessRow>
  )
}
