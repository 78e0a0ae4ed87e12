import { useQuery } from '@tanstack/react-query'
import { Pencil, ShieldCheck, Trash2 } from 'lucide-react'
import { useState } from 'react'
import {
  BACKUPS,
  backUpDashboard,
  checkDashboardTarget,
  dashboardBackupQuery,
  removeDashboardTarget,
  setDashboardTarget,
} from '#dashboard/web/api/backups.ts'
import { KIND_NAMES, placeName } from '#dashboard/web/labels/backup.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { type DialogState, dialogOf } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Menu, MenuItem } from '#dashboard/web/ui/menu.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Snippet } from '#dashboard/web/ui/snippet.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { useAction } from '#dashboard/web/ui/use-call.ts'
import type { DashboardBackup, DashboardTarget } from '#shared/recovery/api/dashboard-backup.ts'
import { usePlaceForm } from './place-form.tsx'

type OpenDialog = 'edit' | 'remove'

/** The records of the dashboard in a target that no server can read. */
export function DashboardCard() {
  const { data, error, refetch } = useQuery(dashboardBackupQuery)
  const [shown, setShown] = useState<OpenDialog>()
  /** A dialog that closes must not close the next one. */
  const state = (dialog: OpenDialog) => ({
    open: shown === dialog,
    onClose: () => setShown((current) => (current === dialog ? undefined : current)),
  })
  return (
    <Card
      title="Backup of this dashboard"
      actions={data && <Actions of={data} onShow={setShown} />}
    >
      <QueryState of={{ data, error, refetch }} rows={2} />
      {data && <State of={data} />}
      {data && <OwnTargetForm target={data.target} {...state('edit')} />}
      <Remove {...state('remove')} />
    </Card>
  )
}

function Actions({
  of: { target, obstacle, requested_at },
  onShow,
}: {
  of: DashboardBackup
  onShow: (shown: OpenDialog) => void
}) {
  const save = useAction(backUpDashboard, { changes: [BACKUPS] })
  const check = useAction(checkDashboardTarget, { changes: [BACKUPS] })
  if (!target) {
    return (
      <Button needs="admin" kind="primary" onClick={() => onShow('edit')}>
        Add target of the dashboard
      </Button>
    )
  }
  const isBusy = save.isBusy || check.isBusy || requested_at !== null
  return (
    <div className="flex gap-2">
      <Button needs="admin" busy={isBusy} disabled={obstacle !== null} onClick={() => save.run()}>
        Back up now
      </Button>
      <Menu needs="admin" name="More actions of the backup of this dashboard">
        <MenuItem
          needs="admin"
          icon={<ShieldCheck />}
          disabled={isBusy || obstacle !== null}
          onClick={() => check.run()}
        >
          Check target
        </MenuItem>
        <MenuItem needs="admin" icon={<Pencil />} onClick={() => onShow('edit')}>
          Edit target
        </MenuItem>
        <MenuItem needs="admin" icon={<Trash2 />} danger onClick={() => onShow('remove')}>
          Remove target
        </MenuItem>
      </Menu>
    </div>
  )
}

function State({
  of: { target, obstacle, tried_at, saved_at, error, release_key },
}: {
  of: DashboardBackup
}) {
  return (
    <>
      <p className="text-muted">
        Its records with their secrets, encrypted to the recovery kit, once a day, in a target of
        their own that no server can read: whoever reads them can do everything that the dashboard
        can.
      </p>
      {target && (
        <p className="mt-2 flex flex-wrap items-center gap-2 break-all">
          <span>
            {target.place.kind === 'local' ? 'Folder' : KIND_NAMES[target.place.kind]},{' '}
            {placeName(target.place)}
          </span>
          {target.checked_at === null ? (
            <Badge tone="warn">not checked</Badge>
          ) : (
            <Badge tone="good">no server can read it</Badge>
          )}
        </p>
      )}
      {obstacle !== null && <p className="mt-2">Not made: {obstacle}.</p>}
      <p className="mt-2">
        Last saved: <Time at={saved_at} />
      </p>
      {error !== null && (
        <p className="mt-2 break-words">
          The last attempt failed (<Time at={tried_at} />
          ): {error}
        </p>
      )}
      {release_key && <ReleaseKey of={release_key} />}
    </>
  )
}

/** Root decides which kit opens it: a dashboard in wrong hands would show another fingerprint. */
function ReleaseKey({ of: { state, since } }: { of: NonNullable<DashboardBackup['release_key']> }) {
  if (state === 'saved')
    return (
      <p className="mt-2">
        Release key and settings saved in the backup since <Time at={since} />, sealed to the
        recovery kit.
      </p>
    )
  if (state === 'next')
    return <p className="mt-2">Release key and settings: saved with the next backup.</p>
  if (state === 'not_here')
    return (
      <p className="mt-2">
        The settings are saved, but the release key is not on the machine of the dashboard: keep a
        copy of it elsewhere.
      </p>
    )
  return (
    <Notice kind="warn" title="The release key is not saved in the backup">
      Without it, a restored dashboard cannot upgrade agents. As root on the machine of the
      dashboard, run this command with the fingerprint in the file of your recovery kit:
      <Snippet text="hosting-control save-release-key <fingerprint>" what="the command" />
    </Notice>
  )
}

function Remove(dialog: DialogState) {
  const remove = useAction(removeDashboardTarget, { changes: [BACKUPS] })
  return (
    <Confirm
      {...dialog}
      title="Remove the target of the dashboard?"
      action="Remove target"
      isDestructive
      onConfirm={() => remove.runAsync()}
    >
      The records of the dashboard are not backed up to another machine any more. The storage is not
      changed.
    </Confirm>
  )
}

interface OwnTargetFormProps extends DialogState {
  /** The target of the dashboard's own backups; null when there is none yet. */
  target: DashboardTarget | null
}

/** The rules of a target of sites need a name; this one is never sent. */
const NAME = 'dashboard'
const KINDS = { ...KIND_NAMES, local: 'Folder of the machine of the dashboard' }
const HINT =
  'With an account that no target of sites has, and that the accounts of these targets cannot read: a user of its own with rest-server --private-repos, an access key of its own for a prefix or bucket, or an SFTP account of its own.'

/** Adds or changes the target of the dashboard. */
const OwnTargetForm = dialogOf(Form, ({ target }) => ({
  title: target ? 'Edit target of the dashboard' : 'Add target of the dashboard',
  about: 'No server ever gets it. The dashboard checks it as soon as you save it.',
  wide: true,
}))

function Form({ target, onClose }: OwnTargetFormProps) {
  const { form, placeFields } = usePlaceForm({
    target: target ?? undefined,
    name: NAME,
    kinds: KINDS,
    hint: HINT,
    call: ({ name: _, ...body }) => setDashboardTarget(body),
    changes: [BACKUPS],
    done: 'The target of the dashboard is being checked',
    onClose,
  })
  return (
    <DialogForm action="Save target" {...form}>
      {placeFields}
    </DialogForm>
  )
}
