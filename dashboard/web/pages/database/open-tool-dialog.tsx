import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { openDatabaseTool } from '#dashboard/web/api/database-tool.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { confirmPassword, needsConfirmation } from '#dashboard/web/api/wp-login.ts'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Select } from '#dashboard/web/ui/field.tsx'
import { PasswordInput } from '#dashboard/web/ui/password-input.tsx'
import type { UserRights } from '#shared/database/database-user.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { RIGHTS_HINTS } from './rights-hints.ts'

/** Opens Adminer in a new tab. Asks for the password of the dashboard if that is needed. */
export function OpenToolDialog({ site, open, onClose }: DialogState & { site: Site }) {
  const [rights, setRights] = useState<UserRights>('read')
  const [password, setPassword] = useState('')
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => inNewTab(site, rights, password),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['site', site.id, 'database-users'] }),
  })
  const refusal = refusalsIn(error).password
  const asks = password !== '' || needsConfirmation(error) || refusal !== undefined
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Adminer for ${unicodeOf(site.domain)}`}
      about="Opens the database in a new tab, without its password. The session ends after an hour, when you log out, or when you end its temporary user. The activity log records it."
    >
      <DialogForm
        action="Open Adminer"
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

/** The tab opens at once: a browser blocks one that opens without a click. */
async function inNewTab(site: Site, rights: UserRights, password: string): Promise<void> {
  const tab = window.open('', '_blank')
  if (!tab) throw new Error('The browser blocked the new tab: allow pop-ups of this dashboard')
  try {
    if (password !== '') await confirmPassword(password)
    const { url } = await openDatabaseTool(site, rights)
    tab.opener = null
    tab.location.replace(url)
  } catch (error) {
    tab.close()
    throw error
  }
}
