import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { rememberPlan } from '#dashboard/web/api/known-plans.ts'
import { beginOn, planUpdates } from '#dashboard/web/api/servers.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Dialog } from '#dashboard/web/ui/dialog.tsx'
import { Field, Select } from '#dashboard/web/ui/field.tsx'
import { PlanSteps } from '#dashboard/web/ui/plan.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import type { DialogProps } from './server-actions.tsx'

/** First shows what apt would do, then does it. */
export function InstallUpdates({ server, open, onClose }: DialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Install updates on ${server.name}`}
      about="Sites stay up: what runs replaced files is restarted one after the other. Installed packages cannot be taken back."
      wide
    >
      <Form server={server} onClose={onClose} />
    </Dialog>
  )
}

function Form({ server, onClose }: Omit<DialogProps, 'open'>) {
  const [scope, setScope] = useState('security')
  const [restart_database, setRestart] = useState(false)
  const navigate = useNavigate()
  const input = { scope, restart_database }
  const preview = useMutation({ mutationFn: () => planUpdates(server.id, input) })
  const start = useMutation({
    mutationFn: () => beginOn(server.id, 'update', input),
    onSuccess: (operation_id) => {
      if (preview.data) rememberPlan(operation_id, preview.data)
      return navigate({ to: '/operations/$operation_id', params: { operation_id } })
    },
  })
  const error = preview.error ?? start.error
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (preview.data) start.mutate()
    else preview.mutate()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field label="Updates" name="scope">
        <Select
          value={scope}
          onChange={(event) => {
            setScope(event.target.value)
            preview.reset()
          }}
        >
          <option value="security">Security updates</option>
          <option value="all">All updates</option>
        </Select>
      </Field>
      <label className="flex items-start gap-3">
        <input
          type="checkbox"
          checked={restart_database}
          onChange={(event) => {
            setRestart(event.target.checked)
            preview.reset()
          }}
          className="mt-0.5 size-4 accent-accent-solid"
        />
        <span>
          <span className="font-medium">Restart MariaDB when it runs replaced files</span>
          <span className="mt-1 block text-xs text-muted">
            The sites of this server are unavailable for some seconds. An update of MariaDB itself
            restarts it in any case.
          </span>
        </span>
      </label>
      {error && <Failure error={error} />}
      {preview.data && <PlanSteps plan={preview.data} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" busy={preview.isPending || start.isPending}>
          {preview.data ? 'Install updates' : 'Show what would be done'}
        </Button>
      </div>
    </form>
  )
}
