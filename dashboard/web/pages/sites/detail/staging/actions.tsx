import { RefreshCw, Upload } from 'lucide-react'
import { AccessRow } from '#dashboard/web/pages/sites/detail/access/access-row.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import type { SiteCopy } from '#shared/api/copies.ts'
import { PushStaging } from './push/push-staging.tsx'
import { RefreshStaging } from './refresh-staging.tsx'
import type { Live } from './staging-card.tsx'

/** From the live site to the staging site, and back. */
export function StagingActions({ staging, live }: { staging: SiteCopy; live: Live }) {
  const refresh = useDialog()
  const push = useDialog()
  const isNear = staging.server_id === live.server_id
  return (
    <>
      <AccessRow
        name="Refresh from live"
        about="Replaces the files and the database of the staging site."
      >
        <Button icon={<RefreshCw />} onClick={refresh.show}>
          Refresh from live
        </Button>
      </AccessRow>
      <AccessRow
        name="Push to live"
        about={
          isNear
            ? 'Compares both sites first. You choose files and tables.'
            : 'Only for a staging site on the same server as its live site.'
        }
      >
        <Button icon={<Upload />} disabled={!isNear} onClick={push.show}>
          Push to live
        </Button>
      </AccessRow>
      <RefreshStaging {...refresh.dialog} staging={staging} live={live} />
      <PushStaging {...push.dialog} staging={staging} live={live} />
    </>
  )
}
