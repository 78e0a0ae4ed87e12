import { useQuery } from '@tanstack/react-query'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import {
  addPasskey,
  passkeysQuery,
  removePasskey,
  renamePasskey,
} from '#dashboard/web/api/passkeys.ts'
import { Button, IconButton } from '#dashboard/web/ui/button.tsx'
import { type DialogState, dialogOf, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { TextField } from '#dashboard/web/ui/field.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import type { OwnPasskeys, Passkey } from '#shared/kernel/api/passkeys.ts'

const CHANGES = [passkeysQuery.queryKey, ['second-factor'], ['sessions'], ['activity']]

/** Lists the passkeys of the account, and adds, renames and removes them. */
export function Passkeys() {
  const { data, error, refetch } = useQuery(passkeysQuery)
  const adding = useDialog()
  const [toRename, setToRename] = useState<Passkey>()
  const [toRemove, setToRemove] = useState<Passkey>()
  return (
    <Card
      title="Passkeys"
      flush
      actions={
        data?.origin === location.origin && (
          <Button icon={<Plus />} onClick={adding.show}>
            Add passkey
          </Button>
        )
      }
    >
      <p className="px-4 py-4 text-muted">
        Sign in with a fingerprint, your face or a PIN instead of password and code. A passkey is on
        your device, on a security key or in a password manager, and works only for this dashboard.
      </p>
      <QueryState of={{ data, error, refetch }} rows={2} flush />
      {data && <Hints of={data} />}
      {data && data.passkeys.length > 0 && (
        <RecordTable
          label="Passkeys"
          rows={data.passkeys}
          keyOf={({ id }) => id}
          columns={[
            { name: 'Name', className: 'font-medium break-words', show: ({ name }) => name },
            { name: 'Created', show: ({ created_at }) => <Time at={created_at} /> },
            { name: 'Last used', show: ({ last_used_at }) => <Time at={last_used_at} /> },
            {
              name: 'Stored',
              show: ({ backed_up }) => (backed_up ? 'In a password manager' : 'On one device'),
            },
            {
              name: 'Actions',
              isUnnamed: true,
              className: 'text-right',
              show: (passkey) => (
                <>
                  <IconButton
                    name={`Rename the passkey ${passkey.name}`}
                    icon={<Pencil />}
                    onClick={() => setToRename(passkey)}
                  />
                  <IconButton
                    name={`Remove the passkey ${passkey.name}`}
                    icon={<Trash2 />}
                    onClick={() => setToRemove(passkey)}
                  />
                </>
              ),
            },
          ]}
        />
      )}
      <Add {...adding.dialog} />
      <Rename
        open={toRename !== undefined}
        onClose={() => setToRename(undefined)}
        passkey={toRename}
      />
      <Remove
        open={toRemove !== undefined}
        onClose={() => setToRemove(undefined)}
        passkey={toRemove}
      />
    </Card>
  )
}

/** Says what keeps passkeys from working, or that one of them is the only way in. */
function Hints({ of: { problem, origin, passkeys } }: { of: OwnPasskeys }) {
  const hint = () => {
    if (problem !== null) return <Notice kind="info" title={problem} />
    if (origin !== location.origin)
      return (
        <Notice kind="info" title={`Passkeys work only at ${origin}`}>
          Open the dashboard there to add one.
        </Notice>
      )
    if (passkeys.length !== 1) return null
    return (
      <Notice kind="info" title="Add a second passkey">
        With only one, you cannot sign in when you lose it, unless you also have an authenticator
        app.
      </Notice>
    )
  }
  const shown = hint()
  return shown && <div className="px-4 pb-4">{shown}</div>
}

const Add = dialogOf(AddForm, () => ({
  title: 'Add a passkey',
  about: 'Your browser then asks where to store it.',
}))

function AddForm({ onClose }: DialogState) {
  const [name, setName] = useState('')
  const { form, refusals } = useFormCall(() => addPasskey(name), {
    fields: ['name'],
    changes: CHANGES,
    done: `The passkey ${name} is added`,
    onSuccess: onClose,
    onClose,
  })
  return (
    <DialogForm action="Add passkey" {...form} isBlocked={name.trim() === ''}>
      <NameField value={name} error={refusals.name} onChange={setName} />
    </DialogForm>
  )
}

interface PasskeyDialog extends DialogState {
  passkey: Passkey | undefined
}

const Rename = dialogOf(RenameForm, ({ passkey }: PasskeyDialog) => ({
  title: `Rename the passkey ${passkey?.name ?? ''}`,
}))

function RenameForm({ passkey, onClose }: PasskeyDialog) {
  const [name, setName] = useState(passkey?.name ?? '')
  const { form, refusals } = useFormCall(() => renamePasskey(passkey?.id ?? '', name), {
    fields: ['name'],
    changes: CHANGES,
    done: 'The passkey is renamed',
    onSuccess: onClose,
    onClose,
  })
  return (
    <DialogForm action="Rename passkey" {...form} isBlocked={name.trim() === ''}>
      <NameField value={name} error={refusals.name} onChange={setName} />
    </DialogForm>
  )
}

const Remove = dialogOf(RemoveForm, ({ passkey }: PasskeyDialog) => ({
  title: `Remove the passkey ${passkey?.name ?? ''}?`,
}))

function RemoveForm({ passkey, onClose }: PasskeyDialog) {
  const { form } = useFormCall(() => removePasskey(passkey?.id ?? ''), {
    changes: CHANGES,
    done: `The passkey ${passkey?.name} is removed`,
    onSuccess: onClose,
    onClose,
  })
  return (
    <DialogForm action="Remove passkey" isDestructive {...form}>
      <p className="text-muted">
        Nobody can sign in with it any more, and all your other sessions end. Delete it from your
        device or password manager too.
      </p>
    </DialogForm>
  )
}

interface NameFieldProps {
  value: string
  error: string | undefined
  onChange: (name: string) => void
}

const NameField = (props: NameFieldProps) => (
  <TextField
    {...props}
    data-first
    name="name"
    label="Name"
    hint="Where it is, such as work laptop or security key."
    maxLength={64}
  />
)
