import { useQuery } from '@tanstack/react-query'
import { Check, Globe, Undo2 } from 'lucide-react'
import { moveQuery } from '#dashboard/web/api/moves.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { formatTime } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import type { ShownMove, SiteMove } from '#shared/moves/api/moves.ts'
import { ConfirmMove } from './confirm-move.tsx'
import { dnsText } from './dns-text.ts'
import { MoveBack } from './move-back.tsx'
import { OpenMoveNotice } from './open-move.tsx'
import { PointDns, useNamesInAccounts } from './point-dns.tsx'

/** On every tab of a site whose move is not confirmed, or has not ended. */
export function Moved({ site }: { site: Site }) {
  const { data } = useQuery({ ...moveQuery(site), enabled: !site.found })
  if (!data) return null
  const { move, open } = data
  return (
    <>
      {open && !site.operation_id && <OpenMoveNotice site={site} open={open} />}
      {move && <Unconfirmed site={site} shown={data} move={move} />}
    </>
  )
}

interface UnconfirmedProps {
  site: Site
  shown: ShownMove
  move: SiteMove
}

function Unconfirmed({ site, shown, move }: UnconfirmedProps) {
  const back = useDialog()
  const confirm = useDialog()
  const dns = useDialog()
  const names = useNamesInAccounts(site)
  return (
    <>
      <Notice
        kind="info"
        title={`Moved from ${move.other} on ${formatTime(move.moved_at)}, not confirmed`}
        actions={
          <>
            <Button icon={<Undo2 />} onClick={back.show}>
              Move back
            </Button>
            {names.length > 0 && (
              <Button icon={<Globe />} onClick={dns.show}>
                Point DNS here
              </Button>
            )}
            <Button icon={<Check />} onClick={confirm.show}>
              Confirm move
            </Button>
          </>
        }
      >
        {move.other} forwards its visitors to this server{' '}
        {move.tls ? 'over TLS' : 'over plain HTTP'} and keeps its copy. {dnsText(shown)}
      </Notice>
      <MoveBack site={site} move={move} {...back.dialog} />
      <PointDns site={site} names={names} {...dns.dialog} />
      <ConfirmMove site={site} shown={shown} {...confirm.dialog} />
    </>
  )
}
