import { ArrowRightLeft, RefreshCw, Upload } from 'lucide-react'
import { AccessRow } from '#dashboard/web/features/sites/access/access-row.tsx'
import { PushStaging } from '#dashboard/web/pages/copies/push/push-staging.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import type { SiteCopy } from '#shared/copies/api/copies.ts'
import { MoveToLive } from './move-to-live.tsx'
import { RefreshStaging } from './refresh-staging.tsx'
import type { Live } from './staging-card.tsx'

/** From the live site to the staging site, and back. */
export function StagingActions({ staging, live }: { staging: SiteCopy; live: Live }) {
  const refresh = useDialog()
  const push = useDialog()
  const move = useDialog()
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
            : 'Needs both sites on one server: move the staging site to the server of its live site first.'
        }
      >
        {isNear ? (
          <Button icon={<Upload />} onClick={push.show}>
            Push to live
          </Button>
        ) : (
          <Button
            icon={<ArrowRightLeft />}
            disabled={staging.status !== 'active'}
            onClick={move.show}
          >
            Move to live server
          </Button>
        )}
      </AccessRow>
      <RefreshStaging {...refresh.dialog} staging={staging} live={live} />
      <PushStaging {...push.dialog} staging={staging} live={live} />
      <MoveToLive {...move.dialog} staging={staging} live={live} />
    </>
  )
}
