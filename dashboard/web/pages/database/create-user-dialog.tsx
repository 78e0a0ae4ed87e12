import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { createDatabaseUser } from '#dashboard/web/api/site-database.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { confirmPassword, needsConfirmation } from '#dashboard/web/api/wp-login.ts'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Select } from '#dashboard/web/ui/field.tsx'
import { PasswordInput } from '#dashboard/web/ui/password-input.tsx'
import type { CreatedDatabaseUser } from '#shared/database/api/site-database.ts'
import type { UserRights } from '#shared/database/database-user.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { RIGHTS_HINTS } from './rights-hints.ts'

interface CreateUserDialogProps extends DialogState {
  site: Site
  onMade: (login: CreatedDatabaseUser) => void
}

/** Asks for the password of the dashboard if that is needed. */
export function CreateUserDialog({ site, open, onClose, onMade }: CreateUserDialogProps) {
  const [rights, setRights] = useState<UserRights>('read')
  const [minutes, setMinutes] = useState(60)
  const [password, setPassword] = useState('')
  const client = useQueryClient()
  // Not in the query client: the answer has a password.
  const { mutate, isPending, error } = useMutation({
    gcTime: 0,
    mutationFn: async () => {
      if (password !== '') await confirmPassword(password)
      onMade(await createDatabaseUser(site, { rights, minutes }))
    },
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['site', site.id, 'database-users'] }),
  })
  const refusal = refusalsIn(error).password
  const asks = password !== '' || needsConfirmation(error) || refusal !== undefined
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Temporary database user of ${unicodeOf(site.domain)}`}
      about="For one database, through an SSH tunnel. The user and its connections end automatically. The activity log records it."
    >
      <DialogForm
        action="Create user"
        onSubmit={() => mutate()}
        onCancel={onClose}
        isBlocked={asks && password === ''}
        isBusy={isPending}
        error={needsConfirmation(error) || refusal !== undefined ? null : error}
      >
        <Field label="Rights" name="rights" hint={RIGHTS_HINTS[rights]}>
          <Select
            value={rights}
            onChange={({ target }) => setRights(target.value === 'write' ? 'write' : 'read')}
          >
            <option value="read">Read</option>
            <option value="write">Read and write</option>
          </Select>
        </Field>
        <Field label="Ends after" name="minutes">
          <Select value={minutes} onChange={({ target }) => setMinutes(Number(target.value))}>
            {[15, 30, 60].map((value) => (
              <option key={value} value={value}>
                {value} minutes
              </option>
            ))}
          </Select>
        </Field>
        {asks && (
          <Field
            name="password"
            label="Your password of this dashboard"
            hint="You must enter it again after half an hour."
            error={refusal}
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
