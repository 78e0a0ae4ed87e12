import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { addKey, peopleQuery } from '#dashboard/web/api/access.ts'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, TextArea } from '#dashboard/web/ui/field.tsx'
import type { Person } from '#shared/access/api/access.ts'
import { readSshKey } from '#shared/access/ssh-keys.ts'

interface AddKeyProps extends DialogState {
  person: Person
}

export function AddKey({ person, open, onClose }: AddKeyProps) {
  return (
    <Dialog open={open} onClose={onClose} title={`Add a key of ${person.name}`}>
      {open && <Form person={person} onClose={onClose} />}
    </Dialog>
  )
}

function Form({ person, onClose }: Pick<AddKeyProps, 'person' | 'onClose'>) {
  const [text, setText] = useState('')
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => addKey(person.id, text),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: peopleQuery.queryKey })
      onClose()
    },
  })
  const refusals = refusalsIn(error)
  const read = text.trim() === '' ? undefined : readSshKey(text)
  const mistake = typeof read === 'string' ? read : refusals.key
  return (
    <DialogForm
      action="Add key"
      onSubmit={() => mutate()}
      onCancel={onClose}
      isBlocked={read === undefined || typeof read === 'string'}
      isBusy={isPending}
      error={Object.keys(refusals).length === 0 ? error : null}
    >
      <Field
        name="key"
        label="Public key"
        hint="The line in a file such as id_ed25519.pub. The private key stays with the person."
        error={mistake}
      >
        <TextArea
          data-first
          value={text}
          placeholder="ssh-ed25519 AAAA…"
          autoCapitalize="none"
          onChange={({ target }) => setText(target.value)}
        />
      </Field>
    </DialogForm>
  )
}
