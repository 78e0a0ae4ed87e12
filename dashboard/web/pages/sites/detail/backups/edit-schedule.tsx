import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { BACKUPS, changeBackupSettings, targetsQuery } from '#dashboard/web/api/backups.ts'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { BackupFirstField } from '#dashboard/web/features/backups/backup-first-field.tsx'
import { IntervalField, TargetField } from '#dashboard/web/features/backups/fields.tsx'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, TextArea } from '#dashboard/web/ui/field.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { SiteBackups } from '#shared/backups/api/backups.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

interface EditScheduleProps extends DialogState {
  site: Site
  data: SiteBackups
}

/** The values of this site; those that are not set come from a tag of its server, or are for all. */
export function EditSchedule({ site, data, ...dialog }: EditScheduleProps) {
  const [every, setEvery] = useState(data.every)
  const [target_id, setTarget] = useState(data.target_id)
  const [backup_first, setFirst] = useState(data.backup_first)
  const [text, setText] = useState(data.exclude.join('\n'))
  const { data: targets = [] } = useQuery(targetsQuery)
  const client = useQueryClient()
  const exclude = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => changeBackupSettings(site, { every, target_id, backup_first, exclude }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: BACKUPS })
      toast('The schedule is saved')
      dialog.onClose()
    },
  })
  const refused = refusalsIn(error)
  return (
    <Dialog {...dialog} title={`Backups of ${unicodeOf(site.domain)}`}>
      <DialogForm
        action="Save schedule"
        onSubmit={mutate}
        onCancel={dialog.onClose}
        isBusy={isPending}
        error={Object.keys(refused).length > 0 ? null : error}
      >
        <IntervalField
          value={every}
          onChange={setEvery}
          fallback="As its server's tags or the settings say"
          error={refused.every}
        />
        <TargetField
          targets={targets}
          value={target_id}
          onChange={setTarget}
          fallback="As its server's tags or the default target"
          error={refused.target_id}
        />
        <BackupFirstField
          value={backup_first}
          onChange={setFirst}
          fallback="As its server's tags or the settings say"
          error={refused.backup_first}
        />
        <Field
          name="exclude"
          label="Leave out"
          hint="One path in each line, below the public folder: wp-content/uploads/videos. * stands for any name, **/node_modules for that folder everywhere. A restore cannot bring back what is left out."
          error={refused.exclude}
        >
          <TextArea value={text} onChange={({ target }) => setText(target.value)} />
        </Field>
      </DialogForm>
    </Dialog>
  )
}
