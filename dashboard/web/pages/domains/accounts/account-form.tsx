import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { addDnsAccount, changeDnsAccount, dnsAccountsQuery } from '#dashboard/web/api/dns.ts'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Input } from '#dashboard/web/ui/field.tsx'
import type { DnsAccountView } from '#shared/domains/api/dns.ts'

interface AccountFormProps extends DialogState {
  /** Undefined: a new one. */
  account?: DnsAccountView | undefined
}

export function AccountForm({ account, open, onClose }: AccountFormProps) {
  const title = account ? `Change the DNS account ${account.name}` : 'Add a DNS account'
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      {open && <Form account={account} onClose={onClose} />}
    </Dialog>
  )
}

function Form({ account, onClose }: Pick<AccountFormProps, 'account' | 'onClose'>) {
  const [name, setName] = useState(account?.name ?? 'Cloudflare')
  const [token, setToken] = useState('')
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      account
        ? changeDnsAccount(account.id, {
            name,
            ...(token.trim() !== '' && { token: token.trim() }),
          })
        : addDnsAccount({ name, token: token.trim() }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: dnsAccountsQuery.queryKey })
      onClose()
    },
  })
  const refusals = refusalsIn(error)
  return (
    <DialogForm
      action={account ? 'Save account' : 'Add account'}
      onSubmit={() => mutate()}
      onCancel={onClose}
      isBlocked={name.trim() === '' || (!account && token.trim() === '')}
      isBusy={isPending}
      error={Object.keys(refusals).length === 0 ? error : null}
    >
      <Field name="name" label="Name" error={refusals.name}>
        <Input value={name} maxLength={64} onChange={({ target }) => setName(target.value)} />
      </Field>
      <Field
        name="token"
        label="API token"
        hint={
          account
            ? 'Leave empty to keep the current token. The zones are read again.'
            : 'Of Cloudflare, with Zone: Read, DNS: Edit and Cache Purge. It is tested first, stored encrypted, and never shown.'
        }
        error={refusals.token}
      >
        <Input
          data-first
          type="password"
          autoComplete="off"
          value={token}
          onChange={({ target }) => setToken(target.value)}
        />
      </Field>
    </DialogForm>
  )
}
