import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { createToken } from '../../api/account.ts'
import { ApiError } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Failure } from '../../ui/states.tsx'

interface NewTokenProps {
  open: boolean
  onClose: () => void
}

/** Makes a token, and shows it this once: the dashboard keeps only its hash. */
export function NewToken({ open, onClose }: NewTokenProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Create an API token">
      {open && <Form onClose={onClose} />}
    </Dialog>
  )
}

function Form({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const client = useQueryClient()
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: createToken,
    onSuccess: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  })
  if (data) return <Shown plaintext={data.plaintext} onClose={onClose} />
  const refusal = error instanceof ApiError ? error.fields.name : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate(name)
  }
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      {error && refusal === undefined && <Failure error={error} />}
      <Field name="name" label="Name" hint="What uses it, such as deploy script." error={refusal}>
        <Input value={name} maxLength={64} onChange={(event) => setName(event.target.value)} />
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" busy={isPending}>
          Create token
        </Button>
      </div>
    </form>
  )
}

function Shown({ plaintext, onClose }: { plaintext: string; onClose: () => void }) {
  return (
    <div className="flex flex-col gap-4">
      <Notice kind="warn" title="It is shown this once">
        Copy it now: the dashboard keeps no token that it could show again.
      </Notice>
      <div className="flex items-center gap-2 rounded-lg border border-line bg-sunken p-2">
        <code className="min-w-0 flex-1 font-mono text-xs break-all">{plaintext}</code>
        <Copy text={plaintext} what="the token" />
      </div>
      <div className="flex justify-end">
        <Button kind="primary" onClick={onClose}>
          I have it
        </Button>
      </div>
    </div>
  )
}
