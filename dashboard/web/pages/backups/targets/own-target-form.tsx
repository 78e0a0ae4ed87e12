import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { BACKUPS, setDashboardTarget } from '#dashboard/web/api/backups.ts'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { KIND_NAMES } from '#dashboard/web/labels/backup.ts'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { DashboardTarget } from '#shared/recovery/api/dashboard-backup.ts'
import { type Draft, draftOf, inputOf, mistakesOf, refusalsOf } from './draft.ts'
import { KindField, PlaceFields } from './place-fields.tsx'

interface OwnTargetFormProps extends DialogState {
  /** Null: there is none yet. */
  target: DashboardTarget | null
}

/** The rules of a target of sites need a name; this one is never sent. */
const NAME = 'dashboard'
const KINDS = { ...KIND_NAMES, local: 'Folder of the machine of the dashboard' }
const HINT =
  'With an account that no target of sites has, and that the accounts of these targets cannot read: a user of its own with rest-server --private-repos, an access key of its own for a prefix or bucket, or an SFTP account of its own.'

/** Adds or changes the target of the dashboard. */
export function OwnTargetForm({ target, open, onClose }: OwnTargetFormProps) {
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
