import {
  ArrowUpCircle,
  KeyRound,
  Link2Off,
  PackagePlus,
  Pencil,
  Plus,
  RefreshCw,
  Trash2,
} from 'lucide-react'
import { useState } from 'react'
import { useSync } from '#dashboard/web/features/servers/use-sync.ts'
import { EnrolmentPanel } from '#dashboard/web/pages/servers/detail/enrolment/enrolment-panel.tsx'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { Menu, MenuItem } from '#dashboard/web/ui/menu.tsx'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'
import { RemoveServer, RevokeTrust, UpgradeAgent } from './confirmations.tsx'
import { EditServer } from './edit-server.tsx'
import { Provision } from './provision.tsx'

const ACTIONS = {
  provision: { name: 'Provision…', icon: <PackagePlus />, Dialog: Provision },
  upgrade: { name: 'Upgrade the agent…', icon: <ArrowUpCircle />, Dialog: UpgradeAgent },
  edit: { name: 'Edit…', icon: <Pencil />, Dialog: EditServer },
  enrol: { name: 'Reconnect agent…', icon: <KeyRound />, Dialog: EnrolAgain },
  revoke: { name: 'Revoke agent…', icon: <Link2Off />, danger: true, Dialog: RevokeTrust },
  remove: {
    ...{ name: 'Remove from the dashboard…', icon: <Trash2 />, danger: true },
    Dialog: RemoveServer,
  },
}
export type ServerDialog = keyof typeof ACTIONS
const NAMES = Object.keys(ACTIONS) as ServerDialog[]

export interface DialogProps extends DialogState {
  server: FleetServerDetail
}

interface ServerActionsProps {
  server: FleetServerDetail
  dialog: ServerDialog | undefined
  onDialog: (dialog: ServerDialog | undefined) => void
}

/** What can be done to the server as a whole. */
export function ServerActions({ server, dialog, onDialog }: ServerActionsProps) {
  const { sync, isSyncing } = useSync(server)
  // The closing dialog stays visible during its transition.
  const [last, setLast] = useState<ServerDialog>('edit')
  if (dialog && dialog !== last) setLast(dialog)
  const { Dialog } = ACTIONS[last]
  return (
    <>
      {server.status !== 'pending' && (
        <>
          <ButtonLink to="/sites/new" search={{ server_id: server.id }} icon={<Plus />}>
            Create a site
          </ButtonLink>
          <Button icon={<RefreshCw />} busy={isSyncing} onClick={sync}>
            Sync
          </Button>
        </>
      )}
      <Menu name={`More actions of ${server.name}`}>
        {NAMES.map((action) => {
          const { name, Dialog: _, ...item } = ACTIONS[action]
          return (
            <MenuItem key={action} {...item} onClick={() => onDialog(action)}>
              {name}
            </MenuItem>
          )
        })}
      </Menu>
      <Dialog server={server} open={dialog === last} onClose={() => onDialog(undefined)} />
    </>
  )
}

function EnrolAgain({ server, ...dialog }: DialogProps) {
  return (
    <Dialog
      {...dialog}
      title={`Enrol the agent of ${server.name} again`}
      about="Use this after the machine or its agent was reinstalled. The previous agent stays trusted until the new one is enrolled."
      wide
    >
      <EnrolmentPanel server={server} />
    </Dialog>
  )
}
