import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { exportAddress, exportQuery } from '#dashboard/web/api/site-database.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { AccessRow } from '#dashboard/web/features/sites/access/access-row.tsx'
import { isDemo } from '#dashboard/web/ui/brand/demo.tsx'
import { Button, ButtonAnchor } from '#dashboard/web/ui/button.tsx'
import { formatBytes } from '#dashboard/web/ui/format.ts'
import { ProgressBar } from '#dashboard/web/ui/progress-bar.tsx'

/** The whole database as a compressed file; the databases of the demo are simulated. */
export function ExportRow({ site }: { site: Site }) {
  const [asked, setAsked] = useState(0)
  return (
    <>
      <AccessRow
        name="Export"
        about="All tables as a compressed SQL file, without views and routines. The activity log records it."
      >
        {isDemo ? (
          <Button icon={<Download />} disabled title="The databases of the demo are simulated">
            Export database
          </Button>
        ) : (
          <ButtonAnchor href={exportAddress(site)} download onClick={() => setAsked(asked + 1)}>
            <Download />
            Export database
          </ButtonAnchor>
        )}
      </AccessRow>
      <Running site={site} asked={asked} />
    </>
  )
}

/** The browser does not know how long the file will be. */
function Running({ site, asked }: { site: Site; asked: number }) {
  const { data } = useQuery(exportQuery(site, asked))
  if (!data) return null
  const { bytes, total } = data
  const isKnown = total >= bytes
  return (
    <div className="flex items-center gap-3">
      {isKnown && <ProgressBar label="Export" total={total} parts={{ busy: bytes }} />}
      <span className="text-xs text-muted tabular-nums">
        {isKnown
          ? `${formatBytes(bytes)} of about ${formatBytes(total)}`
          : `${formatBytes(bytes)} until now`}
      </span>
    </div>
  )
}
