import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { installUpdates, planUpdates } from '#dashboard/web/api/servers.ts'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { Dialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Select } from '#dashboard/web/ui/field.tsx'
import { PlanSummary } from '#dashboard/web/ui/plan.tsx'
import { useOpenOperation } from '#dashboard/web/ui/record-links.tsx'
import type { DialogProps } from './server-actions.tsx'

/** Shows the plan of apt, then runs it. */
export function InstallUpdates({ server, open, onClose }: DialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Install updates on ${server.name}`}
      about="Sites stay up: services with replaced files restart one after the other. Installed packages cannot be rolled back."
    >
      <Form server={server} onClose={onClose} />
    </Dialog>
  )
}

function Form({ server, onClose }: Omit<DialogProps, 'open'>) {
  const [scope, setScope] = useState<'security' | 'all'>('security')
  const [restart_database, setRestart] = useState(false)
  const [without_backup, setWithout] = useState(false)
  const input = { scope, restart_database, without_backup }
  const preview = useMutation({ mutationFn: () => planUpdates(server.id, input) })
  const start = useMutation({
    mutationFn: () => installUpdates(server.id, input),
    onSuccess: useOpenOperation(),
  })
  return (
    <DialogForm
      action={preview.data ? 'Install updates' : 'Review plan'}
      onSubmit={() => (preview.data ? start.mutate() : preview.mutate())}
      onCancel={onClose}
      isBusy={preview.isPending || start.isPending}
      error={preview.error ?? start.error}
    >
      <Field label="Updates" name="scope">
        <Select
          value={scope}
          onChange={(event) => {
            setScope(event.target.value === 'all' ? 'all' : 'security')
            preview.reset()
          }}
        >
          <option value="security">Security updates</option>
          <option value="all">All updates</option>
        </Select>
      </Field>
      <CheckField
        label="Restart MariaDB when it runs replaced files"
        about="The sites of this server are unavailable for some seconds. An update of MariaDB itself restarts it in any case."
        checked={restart_database}
        onChange={(restart) => {
          setRestart(restart)
          preview.reset()
        }}
      />
      {scope === 'all' && (
        <CheckField
          label="Install without backups"
          about="By default, each site without a backup of the last hour is backed up first, as the setting “Backup before changes” says. If a backup fails, nothing is installed."
          checked={without_backup}
          onChange={(skips) => {
            setWithout(skips)
            preview.reset()
          }}
        />
      )}
      {preview.data && <PlanSummary plan={preview.data} isOpen />}
    </DialogForm>
  )
}
