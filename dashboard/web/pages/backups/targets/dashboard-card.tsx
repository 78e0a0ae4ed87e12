import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
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
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { KIND_NAMES, placeName } from '#dashboard/web/labels/backup.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Menu, MenuItem } from '#dashboard/web/ui/menu.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Snippet } from '#dashboard/web/ui/snippet.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'
import type { DashboardBackup, DashboardTarget } from '#shared/recovery/api/dashboard-backup.ts'
import { type Draft, draftOf, inputOf, mistakesOf, refusalsOf } from './draft.ts'
import { KindField, PlaceFields } from './place-fields.tsx'

type Shown = 'edit' | 'remove'

/** The records of the dashboard in a target that no server can read. */
export function DashboardCard() {
  const { data, error, refetch } = useQuery(dashboardBackupQuery)
  const [shown, setShown] = useState<Shown>()
  /** A dialog that closes must not close the next one. */
  const state = (dialog: Shown) => ({
    open: shown === dialog,
    onClose: () => setShown((present) => (present === dialog ? undefined : present)),
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

/** Runs a call, and reads again what it changed. */
function useCall(call: () => Promise<unknown>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: call,
    onError: toastError,
    onSettled: () => client.invalidateQueries({ queryKey: BACKUPS }),
  })
}

function Actions({
  of: { target, obstacle, requested_at },
  onShow,
}: {
  of: DashboardBackup
  onShow: (shown: Shown) => void
}) {
  const save = useCall(backUpDashboard)
  const check = useCall(checkDashboardTarget)
  if (!target) {
    return (
      <Button kind="primary" onClick={() => onShow('edit')}>
        Add target of the dashboard
      </Button>
    )
  }
  const isBusy = save.isPending || check.isPending || requested_at !== null
  return (
    <div className="flex gap-2">
      <Button busy={isBusy} disabled={obstacle !== null} onClick={() => save.mutate()}>
        Back up now
      </Button>
      <Menu name="More actions of the backup of this dashboard">
        <MenuItem
          icon={<ShieldCheck />}
          disabled={isBusy || obstacle !== null}
          onClick={() => check.mutate()}
        >
          Check target
        </MenuItem>
        <MenuItem icon={<Pencil />} onClick={() => onShow('edit')}>
          Edit target
        </MenuItem>
        <MenuItem icon={<Trash2 />} danger onClick={() => onShow('remove')}>
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

interface QuestionProps {
  open: boolean
  onClose: () => void
}

function Remove(state: QuestionProps) {
  const { mutateAsync } = useCall(removeDashboardTarget)
  return (
    <Confirm
      {...state}
      title="Remove the target of the dashboard?"
      action="Remove target"
      isDestructive
      onConfirm={mutateAsync}
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
function OwnTargetForm({ target, open, onClose }: OwnTargetFormProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={target ? 'Edit target of the dashboard' : 'Add target of the dashboard'}
      about="No server ever gets it. The dashboard checks it as soon as you save it."
      wide
    >
      {open && <Form target={target} onClose={onClose} />}
    </Dialog>
  )
}

function Form({ target, onClose }: Omit<OwnTargetFormProps, 'open'>) {
  const [draft, setDraft] = useState(() => draftOf({ ...(target ?? EMPTY), name: NAME }))
  const [isTried, setIsTried] = useState(false)
  const client = useQueryClient()
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => {
      const { name: _, ...body } = inputOf(draft)
      return setDashboardTarget(body)
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: BACKUPS })
      toast('The target of the dashboard is being checked')
      onClose()
    },
  })
  const mistakes = mistakesOf(draft)
  const refused = refusalsOf(refusalsIn(error))
  const refusals = isTried ? { ...refused, ...mistakes } : refused
  const submit = () => {
    setIsTried(true)
    if (Object.keys(mistakes).length === 0) mutate()
  }
  const change = (part: Partial<Draft>) => {
    reset()
    setDraft({ ...draft, ...part })
  }
  return (
    <DialogForm
      action="Save target"
      onSubmit={submit}
      onCancel={onClose}
      isBusy={isPending}
      error={Object.keys(refused).some((name) => name in draft) ? null : error}
    >
      <KindField {...{ draft, change }} names={KINDS} hint={HINT} />
      <PlaceFields {...{ draft, change, refusals }} isNew={target?.place.kind !== draft.kind} />
    </DialogForm>
  )
}

const EMPTY: Pick<DashboardTarget, 'place' | 'keeper_key'> = {
  place: { kind: 'rest', url: '', user: '', ca: '' },
  keeper_key: null,
}
