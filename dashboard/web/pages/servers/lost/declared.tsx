import { useQueryClient } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import { endServerLoss } from '#dashboard/web/api/lost-servers.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'
import type { LostServerView } from '#shared/recovery/api/lost-servers.ts'

interface DeclaredProps {
  server: FleetServerDetail
  view: LostServerView
}

/** Whether the server was declared lost, whether it answers, and what follows from that. */
export function Declared({ server, view: { declared_at } }: DeclaredProps) {
  const { name, status } = server
  if (declared_at === null) return <NotDeclared server={server} />
  if (status === 'online')
    return (
      <Notice
        kind="bad"
        title={`${name} answers again, although it was declared lost`}
        actions={<UseAgain server={server} />}
      >
        Its copies of the restored sites are suspended: they serve no visitors and run no jobs.
        Their files stay. Turn the machine off, or delete the copies and use the server again.
      </Notice>
    )
  return (
    <Notice kind="info" title="Declared lost" actions={<UseAgain server={server} />}>
      <Time at={declared_at} />. Restored sites belong to their new servers. The records of this
      server stay until you remove it on its page.
    </Notice>
  )
}

function NotDeclared({ server: { name, status, last_sync } }: { server: FleetServerDetail }) {
  if (status === 'online')
    return (
      <Notice kind="warn" title={`${name} answers`}>
        Move its sites to other servers instead: that loses nothing.
      </Notice>
    )
  return (
    <Notice kind="warn" title={`Only if ${name} does not come back`}>
      It answered last <Time at={last_sync} none="before its first sync" />. What has changed in its
      sites since their backups is lost. If the machine may return, repair it instead.
    </Notice>
  )
}

function UseAgain({ server: { id, name } }: { server: FleetServerDetail }) {
  const client = useQueryClient()
  const { dialog, show } = useDialog()
  const end = async () => {
    await endServerLoss(id)
    await client.invalidateQueries({ queryKey: ['servers', id] })
  }
  return (
    <>
      <Button icon={<Undo2 />} onClick={show}>
        Use server again
      </Button>
      <Confirm
        {...dialog}
        title={`Use ${name} again?`}
        action="Use server again"
        isDestructive
        onConfirm={end}
      >
        Restored sites stay on their new servers. Copies of them that are still on {name} are no
        longer suspended automatically: delete them first, or they may run their jobs beside the
        restored sites.
      </Confirm>
    </>
  )
}
