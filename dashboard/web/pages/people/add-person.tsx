import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createPerson, peopleQuery } from '#dashboard/web/api/access.ts'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Input } from '#dashboard/web/ui/field.tsx'

export function AddPerson({ open, onClose }: DialogState) {
  return (
    <Dialog open={open} onClose={onClose} title="Add a person">
      {open && <Form onClose={onClose} />}
    </Dialog>
  )
}

function Form({ onClose }: Pick<DialogState, 'onClose'>) {
  const [name, setName] = useState('')
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => createPerson(name),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: peopleQuery.queryKey })
      onClose()
    },
  })
  const refusals = refusalsIn(error)
  return (
    <DialogForm
      action="Add person"
      onSubmit={() => mutate()}
      onCancel={onClose}
      isBlocked={name.trim() === ''}
      isBusy={isPending}
      error={Object.keys(refusals).length === 0 ? error : null}
    >
      <Field
        name="name"
        label="Name"
        hint="Such as a name and a company. It is shown on the sites of the person."
        error={refusals.name}
      >
        <Input
          data-first
          value={name}
          maxLength={64}
          onChange={({ target }) => setName(target.value)}
        />
      </Field>
    </DialogForm>
  )
}
