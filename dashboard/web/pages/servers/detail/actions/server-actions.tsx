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
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Menu, MenuItem } from '#dashboard/web/ui/menu.tsx'
import type { FleetServerDetail } from '#shared/api/fleet.ts'
import { EditServer } from './edit-server.tsx'
import { EnrolAgain } from './enrol-again.tsx'
import { Provision } from './provision.tsx'
import { RemoveServer } from './remove-server.tsx'
import { RevokeTrust } from './revoke-trust.tsx'
import { UpgradeAgent } from './upgrade-agent.tsx'

const DIALOGS = {
  provision: Provision,
  upgrade: UpgradeAgent,
  edit: EditServer,
  enrol: EnrolAgain,
  revoke: RevokeTrust,
  remove: RemoveServer,
} as const
export type ServerDialog = keyof typeof DIALOGS

export interface DialogProps {
  server: FleetServerDetail
  open: boolean
  onClose: () => void
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
  const Shown = DIALOGS[last]
  const item = (name: ServerDialog) => ({ onClick: () => onDialog(name) })
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
        <MenuItem icon={<PackagePlus />} {...item('provision')}>
          Provision…
        </MenuItem>
        <MenuItem icon={<ArrowUpCircle />} {...item('upgrade')}>
          Upgrade the agent…
        </MenuItem>
        <MenuItem icon={<Pencil />} {...item('edit')}>
          Edit…
        </MenuItem>
        <MenuItem icon={<KeyRound />} {...item('enrol')}>
          Reconnect agent…
        </MenuItem>
        <MenuItem icon={<Link2Off />} danger {...item('revoke')}>
          Revoke agent…
        </MenuItem>
        <MenuItem icon={<Trash2 />} danger {...item('remove')}>
          Remove from the dashboard…
        </MenuItem>
      </Menu>
      <Shown server={server} open={dialog === last} onClose={() => onDialog(undefined)} />
    </>
  )
}
