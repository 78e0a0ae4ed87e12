import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { planProvision, provisionServer } from '#dashboard/web/api/servers.ts'
import { PhpSourceField } from '#dashboard/web/features/servers/php-source-field.tsx'
import { Accept, consentsOf } from '#dashboard/web/ui/accept.tsx'
import { Dialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { TextField } from '#dashboard/web/ui/field.tsx'
import { PlanSummary } from '#dashboard/web/ui/plan.tsx'
import { useOpenOperation } from '#dashboard/web/ui/record-links.tsx'
import { ProvisionServer } from '#shared/servers/api/servers.ts'
import type { DialogProps } from './server-actions.tsx'

/** Prepares the server for sites: shows the plan, then runs it. */
export function Provision({ server, open, onClose }: DialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Provision ${server.name}`}
      about="Installs and configures nginx, PHP-FPM, MariaDB and wp-cli. Existing software and sites stay as they are."
    >
      <Form server={server} onClose={onClose} />
    </Dialog>
  )
}

function Form({ server, onClose }: Omit<DialogProps, 'open'>) {
  const [text, setText] = useState('')
  const [accepted, setAccepted] = useState(false)
  const [withSource, setWithSource] = useState(false)
  const php_versions = text.split(/[\s,]+/).filter(Boolean)
  const isPhp = ProvisionServer.safeParse({ php_versions }).success
  const input = { php_versions, ...(withSource && { php_source: true }) }
  const preview = useMutation({ mutationFn: () => planProvision(server.id, input) })
  const consents = consentsOf(preview.data)
  const isOpen = consents.length > 0 && !accepted
  const start = useMutation({
    mutationFn: () => provisionServer(server.id, { ...input, accept: consents }),
    onSuccess: useOpenOperation(),
  })
  const changed = () => {
    setAccepted(false)
    preview.reset()
  }
  const isDone = preview.data?.steps.length === 0
  const error = preview.error ?? start.error
  const refused = refusalsIn(error).php_versions
  return (
    <DialogForm
      action={isDone ? undefined : preview.data ? 'Provision server' : 'Review plan'}
      onSubmit={() => (preview.data ? start.mutate() : preview.mutate())}
      onCancel={onClose}
      cancel={isDone ? 'Close' : 'Cancel'}
      isBlocked={!isPhp || isOpen}
      isBusy={preview.isPending || start.isPending}
      error={refused ? null : error}
    >
      <TextField
        label="PHP versions"
        name="php_versions"
        hint="Separated by commas, such as 8.2, 8.4. Leave empty for the version of the distribution."
        error={isPhp ? refused : 'Must be PHP versions such as 8.2, 8.4'}
        value={text}
        onChange={(next) => {
          setText(next)
          changed()
        }}
      />
      <PhpSourceField
        checked={withSource}
        onChange={(checked) => {
          setWithSource(checked)
          changed()
        }}
      />
      {preview.data && (
        <>
          <PlanSummary plan={preview.data} isOpen />
          <Accept plan={preview.data} accepted={accepted} onChange={setAccepted} />
        </>
      )}
    </DialogForm>
  )
}
