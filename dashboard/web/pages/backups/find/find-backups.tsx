import { useState } from 'react'
import { hasWebCrypto } from '#dashboard/web/pages/backups/kit/key-pair.ts'
import { ServerField, useServer } from '#dashboard/web/pages/backups/targets/server-field.tsx'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Input, TextArea } from '#dashboard/web/ui/field.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import type { BackupTargetView } from '#shared/backups/api/backups.ts'
import { NotFound } from './adopt-all.ts'
import { FoundList } from './found-list.tsx'
import { useFind } from './use-find.ts'

interface FindProps extends DialogState {
  target: BackupTargetView
  /** Shows the backups that were found. */
  onShow: () => void
}

/** Finds the backups of a dashboard that is lost, and records them here. */
export function FindBackups({ open, onClose, ...props }: FindProps) {
  const Content = hasWebCrypto() ? FindForm : NoCrypto
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Find existing backups in ${props.target.name}`}
      about="For backups that another dashboard made. A server reads the target, and the recovery kit opens the repositories. Their backups can be restored as new sites then."
      wide
    >
      {open && <Content {...props} onClose={onClose} />}
    </Dialog>
  )
}

function FindForm({ target, onShow, onClose }: Omit<FindProps, 'open'>) {
  const chosen = useServer()
  const [file, setFile] = useState<File>()
  const [names, setNames] = useState('')
  const { start, hasKit, found, unnamed, isPending, error } = useFind()
  const { server: server_id } = chosen
  const listed = names.split(/\s+/).filter((name) => name !== '')
  const submit = () => {
    if (!file || server_id === undefined) return
    const repositories = listed.length > 0 ? listed : null
    start({ target_id: target.id, server_id, file, repositories })
  }
  if (found) {
    const shown = { found, unnamed, isBusy: isPending, error, onRetry: submit, onClose, onShow }
    return <FoundList {...shown} />
  }
  const refused = error instanceof NotFound ? error.message : undefined
  return (
    <DialogForm
      action="Find backups"
      onSubmit={submit}
      onCancel={onClose}
      isBlocked={!file || server_id === undefined || hasKit === undefined}
      isBusy={isPending}
      error={refused === undefined ? error : null}
    >
      <Field
        label="Recovery kit"
        name="file"
        hint="Choose the saved file. It is read here, and not uploaded."
        error={refused}
      >
        <Input
          type="file"
          accept=".txt,.pem,text/plain"
          onChange={({ target: { files } }) => setFile(files?.[0])}
        />
      </Field>
      <ServerField {...chosen} hint="It reads the target." />
      <Field label="Names of repositories" name="names" hint={NAMES[target.place.kind] ?? ALL}>
        <TextArea value={names} onChange={({ target: { value } }) => setNames(value)} />
      </Field>
      {hasKit === false && (
        <p className="text-muted">
          This dashboard has no recovery kit in use. It uses the chosen one from now on.
        </p>
      )}
    </DialogForm>
  )
}

const ALL = 'One per line. Leave empty for all of them.'
const NAMES: Partial<Record<BackupTargetView['place']['kind'], string>> = {
  rest: 'One per line, as their folders are named on the storage machine. Leave empty if it has a keeper, which lists them.',
}

function NoCrypto({ onClose }: Pick<FindProps, 'onClose'>) {
  const close = { onSubmit: onClose, onCancel: onClose, cancel: 'Close' }
  return (
    <DialogForm action={undefined} {...close} isBusy={false}>
      <Notice kind="warn" title="This page is not served over HTTPS">
        The browser cannot use the recovery kit here. Open the dashboard over HTTPS, or through an
        SSH tunnel as http://localhost.
      </Notice>
    </DialogForm>
  )
}
