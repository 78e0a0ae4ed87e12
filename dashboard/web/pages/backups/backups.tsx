import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { HardDrive, Plus } from 'lucide-react'
import { useState } from 'react'
import {
  addTarget,
  changeTarget,
  checkTarget,
  kitsQuery,
  removeTarget,
  targetsQuery,
} from '#dashboard/web/api/backups.ts'
import { SitesTab } from '#dashboard/web/pages/backups/coverage/sites-tab.tsx'
import { FindBackups } from '#dashboard/web/pages/backups/find/find-backups.tsx'
import { KitCard } from '#dashboard/web/pages/backups/kit/kit-card.tsx'
import { NewKit } from '#dashboard/web/pages/backups/kit/new-kit.tsx'
import { DashboardCard } from '#dashboard/web/pages/backups/targets/dashboard-card.tsx'
import { usePlaceForm } from '#dashboard/web/pages/backups/targets/place-form.tsx'
import { RulesCard } from '#dashboard/web/pages/backups/targets/rules-card.tsx'
import { useServerField } from '#dashboard/web/pages/backups/targets/server-field.tsx'
import type { TargetActions } from '#dashboard/web/pages/backups/targets/target-table.tsx'
import { TargetTable } from '#dashboard/web/pages/backups/targets/target-table.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Checklist } from '#dashboard/web/ui/checklist.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { type DialogState, dialogOf } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { TextField } from '#dashboard/web/ui/field.tsx'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { Tabs } from '#dashboard/web/ui/tabs.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import type { BackupTargetView } from '#shared/backups/api/backups.ts'
import type { BackupPart } from './search.ts'
import { ShownCheck } from './shown-check.tsx'

type OpenDialog =
  | { dialog: 'kit' | 'add' }
  | { dialog: 'edit' | 'check' | 'find' | 'remove'; target: BackupTargetView }

/** Which sites have backups, where these are stored, and the recovery kit. */
export function BackupsPage() {
  const seesFleet = useMay()('read')
  const kits = useQuery({ ...kitsQuery, enabled: seesFleet })
  const targets = useQuery({ ...targetsQuery, enabled: seesFleet })
  const [shown, setShown] = useState<OpenDialog>()
  const show = (next: OpenDialog) => () => setShown(next)
  const { part: requested = 'sites' } = useSearch({ from: '/inside/backups' })
  const part = seesFleet ? requested : 'sites'
  const navigate = useNavigate({ from: '/backups' })
  const open = (next: BackupPart) =>
    void navigate({ search: next === 'sites' ? {} : { part: next }, replace: true })
  const setup = kits.data && targets.data && (
    <FirstSteps
      hasKit={kits.data.in_use !== null}
      targets={targets.data}
      onCreateKit={show({ dialog: 'kit' })}
      onAdd={show({ dialog: 'add' })}
      onCheck={(target) => setShown({ dialog: 'check', target })}
    />
  )
  const onTargets = (
    <>
      <QueryState of={targets} />
      {targets.data && (
        <TargetsCard
          targets={targets.data}
          onAdd={show({ dialog: 'add' })}
          onCheck={(target) => setShown({ dialog: 'check', target })}
          onEdit={(target) => setShown({ dialog: 'edit', target })}
          onFind={(target) => setShown({ dialog: 'find', target })}
          onRemove={(target) => setShown({ dialog: 'remove', target })}
        />
      )}
      {targets.data && targets.data.length > 0 && <RulesCard />}
      <DashboardCard />
    </>
  )
  const onKit = (
    <>
      <QueryState of={kits} />
      {kits.data && <KitCard kits={kits.data} onCreate={show({ dialog: 'kit' })} />}
    </>
  )
  return (
    <Page
      title="Backups"
      about="Files and database of each site, encrypted, in a place of yours. Restore a site on its page."
    >
      {setup}
      <ShownCheck />
      <Tabs
        label="Parts of the backups"
        value={part}
        onChange={open}
        groups={[
          {
            name: '',
            tabs: [
              { value: 'sites', name: 'Sites', content: <SitesTab /> },
              ...(seesFleet
                ? [
                    { value: 'targets' as const, name: 'Targets', content: onTargets },
                    { value: 'kit' as const, name: 'Recovery kit', content: onKit },
                  ]
                : []),
            ],
          },
        ]}
      />
      <Dialogs
        shown={shown}
        onClose={() => setShown(undefined)}
        onSites={() => {
          setShown(undefined)
          open('sites')
        }}
      />
    </Page>
  )
}

interface DialogsProps {
  shown: OpenDialog | undefined
  onClose: () => void
  onSites: () => void
}

function Dialogs({ shown, onClose, onSites }: DialogsProps) {
  const target = shown && 'target' in shown ? shown.target : undefined
  const state = (...dialogs: OpenDialog['dialog'][]) => ({
    open: shown !== undefined && dialogs.includes(shown.dialog),
    onClose,
  })
  return (
    <>
      <NewKit {...state('kit')} />
      <TargetForm {...state('add', 'edit')} target={target} />
      {target && <CheckTarget {...state('check')} target={target} />}
      {target && <FindBackups {...state('find')} target={target} onShow={onSites} />}
      {target && <RemoveTarget {...state('remove')} target={target} />}
    </>
  )
}

interface TargetsCardProps extends TargetActions {
  targets: readonly BackupTargetView[]
  onAdd: () => void
}

/** Where backups are stored. */
function TargetsCard({ targets, onAdd, ...actions }: TargetsCardProps) {
  const add = (
    <Button needs="admin" icon={<Plus />} onClick={onAdd}>
      Add target
    </Button>
  )
  return (
    <Card title="Backup targets" flush actions={targets.length > 0 && add}>
      {targets.length === 0 ? (
        <Empty icon={<HardDrive />} title="There is no backup target" action={add}>
          A target is a place for the backups of all sites: a REST server, an S3 bucket, an SFTP
          account or a folder of the server.
        </Empty>
      ) : (
        <TargetTable targets={targets} {...actions} />
      )}
    </Card>
  )
}

interface FirstStepsProps {
  hasKit: boolean
  targets: readonly BackupTargetView[]
  onCreateKit: () => void
  onAdd: () => void
  onCheck: (target: BackupTargetView) => void
}

/** What is missing before sites can be backed up; nothing after that. */
function FirstSteps({ hasKit, targets, onCreateKit, onAdd, onCheck }: FirstStepsProps) {
  const used = targets.find(({ is_default }) => is_default) ?? targets[0]
  const steps = [
    {
      title: 'Create and confirm the recovery kit',
      about: 'A key that opens all backups if the dashboard and the servers are lost.',
      isDone: hasKit,
      action: (
        <Button needs="admin" kind="primary" onClick={onCreateKit}>
          Create recovery kit
        </Button>
      ),
    },
    {
      title: 'Add a backup target',
      about: 'A place on another machine that refuses to delete backups is the safest.',
      isDone: used !== undefined,
      action: (
        <Button needs="admin" kind="primary" onClick={onAdd}>
          Add target
        </Button>
      ),
    },
    {
      title: 'Check the target from a server',
      about: 'The server writes to it, reads it again, and tries to delete what it wrote.',
      isDone: used !== undefined && used.checked_at !== null,
      action: used && (
        <Button needs="admin" kind="primary" onClick={() => onCheck(used)}>
          Check target
        </Button>
      ),
    },
  ]
  if (steps.every(({ isDone }) => isDone)) return null
  return <Checklist title="Set up backups" steps={steps} />
}

interface TargetDialogProps extends DialogState {
  target: BackupTargetView
}

/** Asks for the server; the page shows the steps. */
const CheckTarget = dialogOf(CheckForm, ({ target }) => ({
  title: `Check ${target.name} from a server`,
  about: 'The server writes to the target, reads it again, and tries to delete what it wrote.',
}))

function CheckForm({ target, onClose }: TargetDialogProps) {
  const navigate = useNavigate()
  const { server_id, serverField } = useServerField(
    'A target is used by all servers: check it from one of each network.',
  )
  const { form } = useFormCall(() => checkTarget(target.id, server_id ?? 0), {
    onDone: async (operation) => {
      onClose()
      await navigate({ to: '/backups', search: { part: 'targets', operation } })
    },
    onClose,
  })
  return (
    <DialogForm action="Check target" {...form} isBlocked={server_id === undefined}>
      {serverField}
    </DialogForm>
  )
}

function RemoveTarget({ target, ...dialog }: TargetDialogProps) {
  const client = useQueryClient()
  const remove = async () => {
    await removeTarget(target.id)
    await client.invalidateQueries({ queryKey: targetsQuery.queryKey })
    toast(`${target.name} was removed`)
  }
  return (
    <Confirm
      {...dialog}
      title={`Remove ${target.name}?`}
      action="Remove target"
      isDestructive
      onConfirm={remove}
    >
      Its address and its secret are deleted from the dashboard. The storage is not changed.
    </Confirm>
  )
}

interface TargetFormProps extends DialogState {
  /** The backup target to edit; undefined for a new one. */
  target: BackupTargetView | undefined
}

/** Adds a target, or changes one. */
const TargetForm = dialogOf(Form, ({ target }) => ({
  title: target ? `Edit ${target.name}` : 'Add backup target',
  about: 'Check it from a server afterwards: it is used from then on.',
  wide: true,
}))

function Form({ target, onClose }: TargetFormProps) {
  const { form, draft, change, refusals, placeFields } = usePlaceForm({
    target,
    call: (input) => (target ? changeTarget(target.id, input) : addTarget(input)),
    changes: [targetsQuery.queryKey],
    done: target ? 'The target was changed' : 'The target was added. Check it from a server.',
    onClose,
  })
  return (
    <DialogForm action={target ? 'Save target' : 'Add target'} {...form}>
      <TextField
        label="Name"
        name="name"
        error={refusals.name}
        hint="Shown in lists."
        maxLength={64}
        value={draft.name}
        onChange={(name) => change({ name })}
      />
      {placeFields}
    </DialogForm>
  )
}
