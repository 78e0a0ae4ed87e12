import { Table } from 'lucide-react'
import type { Site } from '#dashboard/web/api/sites.ts'
import { AccessRow } from '#dashboard/web/features/sites/access/access-row.tsx'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { isDemo } from '#dashboard/web/ui/brand/demo.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { OpenToolDialog } from './open-tool-dialog.tsx'

/** The tables in the browser; the databases of the demo are simulated. */
export function ToolRow({ site }: { site: Site }) {
  const { dialog, show } = useDialog()
  const isOffline = useServerOffline(site)
  return (
    <>
      <AccessRow
        name="Adminer"
        about="Shows and changes tables in the browser, for an hour, with a temporary user."
      >
        <Button
          icon={<Table />}
          disabled={isOffline || isDemo}
          {...(isDemo && { title: 'The databases of the demo are simulated' })}
          onClick={show}
        >
          Open Adminer
        </Button>
      </AccessRow>
      {dialog.open && <OpenToolDialog {...dialog} site={site} />}
    </>
  )
}
