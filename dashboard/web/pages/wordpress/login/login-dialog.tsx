import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Site } from '#dashboard/web/api/sites.ts'
import { type SiteUser, siteUsersQuery } from '#dashboard/web/api/wp-login.ts'
import { useConfirmedCall } from '#dashboard/web/ui/confirmed-call.tsx'
import { type DialogState, dialogOf } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { SelectField } from '#dashboard/web/ui/field.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { logIn } from './log-in.ts'

interface LoginDialogProps extends DialogState {
  site: Site
  /** The server has refused a login without it. */
  needsPassword?: boolean
}

/** A login as a user of the WordPress of the site, in a new tab. */
export const LoginDialog = dialogOf(Form, ({ site }) => ({
  title: `Log in to ${unicodeOf(site.domain)}`,
  about:
    'Opens the WordPress administration in a new tab, without a password of WordPress. The activity log records it.',
}))

function Form({ site, onClose, needsPassword = false }: LoginDialogProps) {
  const [user_id, setUser] = useState<number | null>(null)
  const users = useQuery(siteUsersQuery(site))
  const { form, passwordField } = useConfirmedCall((confirm) => logIn(site, user_id, confirm), {
    isAsked: needsPassword,
    onDone: onClose,
    onClose,
  })
  return (
    <DialogForm action="Log in" {...form}>
      <SelectField
        name="user"
        label="WordPress user"
        hint={users.data?.more ? 'Only the first 50 users are listed.' : undefined}
        value={user_id}
        options={[
          { value: null, name: 'The first administrator' },
          ...(users.data?.users ?? []).map((user) => ({ value: user.id, name: textOf(user) })),
        ]}
        onChange={setUser}
      />
      {users.error && <Failure error={users.error} />}
      {passwordField}
    </DialogForm>
  )
}

function textOf({ login, name, role }: SiteUser): string {
  const spoken = name === '' || name === login ? '' : ` – ${name}`
  return `${login}${spoken}${role === '' ? '' : ` (${role})`}`
}
