import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createClient, resetClientPassword } from '#dashboard/web/api/access.ts'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { confirmPassword, needsConfirmation } from '#dashboard/web/api/wp-login.ts'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Input } from '#dashboard/web/ui/field.tsx'
import { PasswordInput } from '#dashboard/web/ui/password-input.tsx'
import type { ClientLogin, SiteAccess } from '#shared/access/api/access.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { dayOf, endOf, hintOf } from './draft.ts'

export type Client = SiteAccess['clients'][number]

interface ClientDialogProps extends DialogState {
  site: Site
  /** The account that gets a new password; without it, a new account. */
  client?: Client | undefined
  onMade: (login: ClientLogin) => void
}

/** Asks for the password of the dashboard if that is needed. */
export function ClientDialog({ site, client, open, onClose, onMade }: ClientDialogProps) {
  const [label, setLabel] = useState(client?.label ?? '')
  const at = client?.expires_at ?? null
  const [day, setDay] = useState(dayOf(at))
  const [install, setInstall] = useState(false)
  const [password, setPassword] = useState('')
  const queries = useQueryClient()
  // Not in the query client: the answer has a password.
  const { mutate, isPending, error } = useMutation({
    gcTime: 0,
    mutationFn: async () => {
      if (password !== '') await confirmPassword(password)
      const expires_at = endOf({ day, at })
      onMade(
        client
          ? await resetClientPassword(site, client.token, expires_at)
          : await createClient(site, { label, expires_at, ...(install && { install }) }),
      )
    },
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: ['site', site.id, 'access'] }),
  })
  const refusals = refusalsIn(error)
  const asks = password !== '' || needsConfirmation(error) || refusals.password !== undefined
  const isShown = needsConfirmation(error) || Object.keys(refusals).length > 0
  return (
    <Dialog open={open} onClose={onClose} {...textsOf(site, client)}>
      <DialogForm
        action={client ? 'Reset password' : 'Create account'}
        onSubmit={() => mutate()}
        onCancel={onClose}
        isBlocked={(asks && password === '') || label.trim() === ''}
        isBusy={isPending}
        error={isShown ? null : error}
      >
        {!client && (
          <Field
            label="Client"
            name="label"
            hint="A name, such as that of a company."
            error={refusals.label}
          >
            <Input value={label} onChange={({ target }) => setLabel(target.value)} />
          </Field>
        )}
        <Field label="Last day" name="day" hint={hintOf(day)} error={refusals.expires_at}>
          <Input type="date" value={day} onChange={({ target }) => setDay(target.value)} />
        </Field>
        {!client && (
          <CheckField
            label="Install the SSH server"
            about="If openssh-server is missing."
            checked={install}
            onChange={setInstall}
          />
        )}
        {asks && (
          <Field
            name="password"
            label="Your password of this dashboard"
            hint="You must enter it again after half an hour."
            error={refusals.password}
          >
            <PasswordInput
              data-first
              value={password}
              onChange={({ target }) => setPassword(target.value)}
              autoComplete="current-password"
            />
          </Field>
        )}
      </DialogForm>
    </Dialog>
  )
}

const textsOf = ({ domain }: Site, client: Client | undefined) =>
  client
    ? {
        title: `New password for ${client.label}`,
        about: 'The current password stops working, and all SFTP sessions of this site end.',
      }
    : {
        title: `Client account of ${unicodeOf(domain)}`,
        about:
          'For somebody without an SSH key: SFTP with a password to the files of this site, and nothing else. The password is shown once.',
      }
