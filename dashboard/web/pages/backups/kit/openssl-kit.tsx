import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createKit, kitsQuery } from '#dashboard/web/api/backups.ts'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Input, TextArea } from '#dashboard/web/ui/field.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Snippet } from '#dashboard/web/ui/snippet.tsx'
import { DECRYPT, KIT_FILE } from './kit-file.ts'
import type { KitSteps } from './new-kit.tsx'

const CREATE = `openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072 -out ${KIT_FILE}
openssl pkey -in ${KIT_FILE} -pubout`

/** Without HTTPS the browser has no cryptography: the user runs openssl instead. */
export function OpensslKit({ onClose, confirm }: KitSteps) {
  const [key, setKey] = useState('')
  const client = useQueryClient()
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: () => createKit(`${key.replaceAll('\r', '').trim()}\n`),
    onSuccess: () => client.invalidateQueries(kitsQuery),
  })
  if (data) return <Challenge {...{ onClose, confirm }} challenge={data.challenge} />
  const refused = refusalsIn(error).public_key
  return (
    <DialogForm
      action="Use this key"
      onSubmit={mutate}
      onCancel={onClose}
      isBlocked={key.trim() === ''}
      isBusy={isPending}
      error={refused === undefined ? error : null}
    >
      <Notice kind="info" title="This page is not served over HTTPS">
        The browser cannot generate the kit here. Create it with openssl on your own computer, not
        on a server.
      </Notice>
      <Snippet text={CREATE} what="the commands" />
      <Field
        label="Public key"
        name="public_key"
        hint="What the second command prints. The file stays with you: keep it offline."
        error={refused}
      >
        <TextArea value={key} onChange={({ target }) => setKey(target.value)} />
      </Field>
    </DialogForm>
  )
}

function Challenge({ challenge, confirm, onClose }: KitSteps & { challenge: string }) {
  const [answer, setAnswer] = useState('')
  const { mutate, isPending, error } = useMutation({ mutationFn: () => confirm(answer.trim()) })
  const refused = refusalsIn(error).answer
  return (
    <DialogForm
      action="Confirm recovery kit"
      onSubmit={mutate}
      onCancel={onClose}
      isBlocked={answer.trim() === ''}
      isBusy={isPending}
      error={refused === undefined ? error : null}
    >
      <p className="text-muted">
        Prove that the file opens what is encrypted to it: run this command where you saved it.
      </p>
      <Snippet
        text={`printf %s '${challenge}' | ${DECRYPT} | openssl base64 -A`}
        what="the command"
      />
      <Field label="Answer" name="answer" hint="What the command prints." error={refused}>
        <Input value={answer} onChange={({ target }) => setAnswer(target.value)} />
      </Field>
    </DialogForm>
  )
}
