import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
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
import { type ComponentType, type ReactNode, useState } from 'react'
import { revokeEnrolment } from '#dashboard/web/api/enrolment.ts'
import { changeServer, removeServer, upgradeAgent } from '#dashboard/web/api/servers.ts'
import { useSync } from '#dashboard/web/features/servers/use-sync.ts'
import { EnrolmentPanel } from '#dashboard/web/pages/servers/detail/enrolment/enrolment-panel.tsx'
import { ServerFields } from '#dashboard/web/pages/servers/list/server-fields.tsx'
import { useServerForm } from '#dashboard/web/pages/servers/list/use-server-form.ts'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { Dialog, DialogFooter, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { Menu, MenuItem } from '#dashboard/web/ui/menu.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { useOpenOperation } from '#dashboard/web/ui/record-links.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { Right } from '#shared/kernel/rights.ts'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'
import { Provision } from './provision.tsx'

function UpgradeAgent({ server, ...dialog }: DialogProps) {
  const openOperation = useOpenOperation()
  return (
    <Confirm
      {...dialog}
      title={`Upgrade the agent of ${server.name}`}
      action="Upgrade"
      onConfirm={async () => openOperation(await upgradeAgent(server.id))}
    >
      It has version {server.version || 'unknown'} and is replaced by the version of this dashboard.
      If the new version does not answer, the previous one is restored automatically. Sites are not
      affected.
    </Confirm>
  )
}

function RevokeTrust({ server, ...dialog }: DialogProps) {
  const client = useQueryClient()
  const revoke = async () => {
    await revokeEnrolment(server.id)
    await client.invalidateQueries({ queryKey: ['servers', server.id] })
    toast(`The agent of ${server.name} was revoked`)
  }
  return (
    <Confirm
      {...dialog}
      title={`Revoke the agent of ${server.name}`}
      action="Revoke agent"
      typed={server.name}
      onConfirm={revoke}
    >
      The dashboard no longer connects to it, and its sites cannot be changed from here until it is
      enrolled again. Sites keep running. Use this if somebody else may control the machine.
    </Confirm>
  )
}

function RemoveServer({ server, ...dialog }: DialogProps) {
  const { id, name, sites_count } = server
  const client = useQueryClient()
  const navigate = useNavigate()
  const remove = async () => {
    await removeServer(id)
    // Before the list is shown, which would have the server until then.
    await client.invalidateQueries({ queryKey: ['fleet'], refetchType: 'all' })
    toast(`${name} was removed from the dashboard`)
    await navigate({ to: '/servers' })
    client.removeQueries({ queryKey: ['servers', id] })
  }
  return (
    <Confirm
      {...dialog}
      title={`Remove ${name} from the dashboard`}
      action="Remove server"
      typed={name}
      onConfirm={remove}
    >
      <p>
        The dashboard deletes its records of the server
        {sites_count > 0 && `, its ${formatCount(sites_count, 'site')}`} and their operations.{' '}
        <strong className="text-text">The machine is not changed</strong>: its sites and its agent
        keep running. Add it again to manage it from here.
      </p>
    </Confirm>
  )
}

function EditServer({ server, open, onClose }: DialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={`Edit ${server.name}`}>
      <Form server={server} onClose={onClose} />
    </Dialog>
  )
}

function Form({ server, onClose }: Omit<DialogProps, 'open'>) {
  const client = useQueryClient()
  const { id, hostname, name, port, user, tags } = server
  const before = { hostname, name, port: String(port), user, tags: tags.join(', ') }
  const form = useServerForm(before, async (input) => {
    await changeServer(id, { ...input, name: input.name ?? input.hostname.slice(0, 64) })
    await Promise.all([
      client.invalidateQueries({ queryKey: ['servers', id] }),
      client.invalidateQueries({ queryKey: ['fleet'] }),
    ])
    toast('The server was changed')
    onClose()
  })
  const isMoved = form.values.hostname !== hostname || form.values.port !== String(port)
  return (
    <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
      <ServerFields form={form} own={id} />
      {isMoved && (
        <Notice kind="info" title="The dashboard will connect to this address">
          The same agent must answer there. Another agent is not trusted until it is enrolled.
        </Notice>
      )}
      {form.error && <Failure error={form.error} />}
      <DialogFooter onCancel={onClose}>
        <Button type="submit" kind="primary" busy={form.isPending}>
          Save
        </Button>
      </DialogFooter>
    </form>
  )
}

interface ServerAction {
  name: string
  needs: Right
  icon: ReactNode
  danger?: true
  Dialog: ComponentType<DialogProps>
}

const ACTIONS = {
  provision: { name: 'Provision…', needs: 'operate', icon: <PackagePlus />, Dialog: Provision },
  upgrade: {
    name: 'Upgrade the agent…',
    needs: 'operate',
    icon: <ArrowUpCircle />,
    Dialog: UpgradeAgent,
  },
  edit: { name: 'Edit…', needs: 'admin', icon: <Pencil />, Dialog: EditServer },
  enrol: { name: 'Reconnect agent…', needs: 'admin', icon: <KeyRound />, Dialog: EnrolAgain },
  revoke: {
    name: 'Revoke agent…',
    needs: 'admin',
    icon: <Link2Off />,
    danger: true,
    Dialog: RevokeTrust,
  },
  remove: {
    name: 'Remove from the dashboard…',
    needs: 'admin',
    icon: <Trash2 />,
    danger: true,
    Dialog: RemoveServer,
  },
} as const satisfies Record<string, ServerAction>
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
          <ButtonLink
            needs="operate"
            to="/sites/new"
            search={{ server_id: server.id }}
            icon={<Plus />}
          >
            Create a site
          </ButtonLink>
          <Button needs="operate" icon={<RefreshCw />} busy={isSyncing} onClick={sync}>
            Sync
          </Button>
        </>
      )}
      <Menu needs="operate" name={`More actions of ${server.name}`}>
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
