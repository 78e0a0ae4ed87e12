import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  clientPlanQuery,
  clientSiteQuery,
  requestRestore,
  restoreAsClient,
  startClientLogin,
} from '#dashboard/web/api/clients.ts'
import { openLoginTab } from '#dashboard/web/handoff/open-tab.ts'
import { useConfirmedCall } from '#dashboard/web/ui/confirmed-call.tsx'
import { type DialogState, dialogOf } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { SelectField, TextAreaField } from '#dashboard/web/ui/field.tsx'
import { formatBytes, formatCount, formatTime } from '#dashboard/web/ui/format.ts'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import type { ClientSiteDetail } from '#shared/clients/api/clients.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

interface SiteDialog extends DialogState {
  site: ClientSiteDetail
}

/** A request that the agency restores a backup. */
export const RequestDialog = dialogOf(RequestForm, ({ site }) => ({
  title: `Ask for a restore of ${unicodeOf(site.domain)}`,
  about: 'Your agency gets a message, and restores the backup or answers you.',
}))

function RequestForm({ site, chosen = null, onClose }: SiteDialog & { chosen?: number | null }) {
  const [backup_id, setBackup] = useState<number | null>(chosen)
  const [note, setNote] = useState('')
  const { form, refusals } = useFormCall(() => requestRestore(site.id, { backup_id, note }), {
    fields: ['note', 'backup_id'],
    changes: [clientSiteQuery(site.id).queryKey],
    done: 'Your agency was asked',
    onSuccess: onClose,
    onClose,
  })
  return (
    <DialogForm action="Ask for restore" {...form}>
      <SelectField
        name="backup"
        label="Backup"
        error={refusals.backup_id}
        value={backup_id}
        options={[
          { value: null, name: 'Your agency chooses' },
          ...site.backups.map(({ id, at }) => ({ value: id, name: formatTime(at) })),
        ]}
        onChange={setBackup}
      />
      <TextAreaField
        name="note"
        label="What happened"
        hint="For example since when, and on which pages."
        error={refusals.note}
        maxLength={500}
        rows={4}
        value={note}
        onChange={setNote}
      />
    </DialogForm>
  )
}

type Backup = ClientSiteDetail['backups'][number]

/** A restore that the client starts, after its plan. */
export const RestoreDialog = dialogOf(RestoreForm, ({ site, backup }) => ({
  title: `Restore ${unicodeOf(site.domain)}`,
  about: `The backup of ${formatTime(backup.at)}, ${formatBytes(backup.bytes)}.`,
}))

function RestoreForm({ site, backup, onClose }: SiteDialog & { backup: Backup }) {
  const { data, error, refetch } = useQuery(clientPlanQuery(site.id, backup.id))
  const { form } = useFormCall(() => restoreAsClient(site.id, backup.id), {
    changes: [clientSiteQuery(site.id).queryKey],
    done: 'The restore has started',
    onSuccess: onClose,
    onClose,
  })
  return (
    <DialogForm action="Restore backup" {...form} isBlocked={data === undefined} isDestructive>
      <QueryState of={{ data, error, refetch }} rows={2} />
      {data && (
        <p>
          {data.database
            ? 'All files and contents of the site are replaced by those of the backup.'
            : 'All files of the site are replaced by those of the backup.'}{' '}
          What has changed since then is lost, such as orders and comments. Your agency can undo the
          restore for {formatCount(data.undo_days, 'day')}.
        </p>
      )}
    </DialogForm>
  )
}

/** A login to WordPress in a new tab, as the user with the address of the client. */
export const LoginDialog = dialogOf(LoginForm, ({ site }) => ({
  title: `Log in to ${unicodeOf(site.domain)}`,
  about:
    'Opens the administration of your site in a new tab, as the user with your e-mail address.',
}))

function LoginForm({ site, onClose }: SiteDialog) {
  const { form, passwordField } = useConfirmedCall((confirm) => logIn(site.id, confirm), {
    onDone: onClose,
    onClose,
  })
  return (
    <DialogForm action="Log in" {...form}>
      {passwordField}
    </DialogForm>
  )
}

/** Logs in; must be called by the handler of a click or a key, which may open a tab. */
async function logIn(site_id: number, confirm: () => Promise<void>): Promise<void> {
  const tab = openLoginTab()
  try {
    await confirm()
    await tab.send(await startClientLogin(site_id))
  } catch (error) {
    tab.close()
    throw error
  }
}
