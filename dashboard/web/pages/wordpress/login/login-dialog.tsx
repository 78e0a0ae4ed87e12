import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { needsConfirmation, type SiteUser, siteUsersQuery } from '#dashboard/web/api/wp-login.ts'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Select } from '#dashboard/web/ui/field.tsx'
import { PasswordInput } from '#dashboard/web/ui/password-input.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { useLogin } from './use-login.ts'

interface LoginDialogProps extends DialogState {
  site: Site
  /** The server has refused a login without it. */
  needsPassword?: boolean
}

/** A login as a user of the WordPress of the site, in a new tab. */
export function LoginDialog({ open, onClose, site, ...props }: LoginDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Log in to ${unicodeOf(site.domain)}`}
      about="Opens the WordPress administration in a new tab, without a password of WordPress. The activity log records it."
    >
      {open && <Form site={site} onClose={onClose} {...props} />}
    </Dialog>
  )
}

function Form({ site, onClose, needsPassword = false }: Omit<LoginDialogProps, 'open'>) {
  const [chosen, setChosen] = useState('')
  const [password, setPassword] = useState('')
  const users = useQuery(siteUsersQuery(site))
  const { mutate, isPending, error } = useLogin(site)
  const asks = needsPassword || needsConfirmation(error) || 'password' in refusalsIn(error)
  const logIn = () =>
    mutate(
      { user_id: chosen ? Number(chosen) : null, ...(asks && { password }) },
      { onSuccess: onClose },
    )
  return (
    <DialogForm
      action="Log in"
      onSubmit={logIn}
      onCancel={onClose}
      isBlocked={asks && password === ''}
      isBusy={isPending}
      error={needsConfirmation(error) || 'password' in refusalsIn(error) ? null : error}
    >
      <Field
        name="user"
        label="WordPress user"
        {...(users.data?.more && { hint: 'Only the first 50 users are listed.' })}
      >
        <Select value={chosen} onChange={({ target }) => setChosen(target.value)}>
          <option value="">The first administrator</option>
          {users.data?.users.map((user) => (
            <option key={user.id} value={user.id}>
              {textOf(user)}
            </option>
          ))}
        </Select>
      </Field>
      {users.error && <Failure error={users.error} />}
      {asks && (
        <Field
          name="password"
          label="Your password of this dashboard"
          hint="You must enter it again after half an hour."
          error={refusalsIn(error).password}
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
  )
}

function textOf({ login, name, role }: SiteUser): string {
  const spoken = name === '' || name === login ? '' : ` – ${name}`
  return `${login}${spoken}${role === '' ? '' : ` (${role})`}`
}
