import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { dnsPlanQuery, setDnsRecords } from '#dashboard/web/api/dns.ts'
import { domainStatesQuery } from '#dashboard/web/api/domains.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { DnsRecordPlan } from '#shared/domains/api/dns.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

interface CreateRecordProps extends DialogState {
  site: Site
  name: string
}

/** The planned DNS records of a name, and the button that sets them. */
export function CreateRecord({ site, name, open, onClose }: CreateRecordProps) {
  return (
    <Dialog open={open} onClose={onClose} title={`DNS records of ${unicodeOf(name)}`}>
      {open && <Form site={site} name={name} onClose={onClose} />}
    </Dialog>
  )
}

function Form({ site, name, onClose }: Omit<CreateRecordProps, 'open'>) {
  const { data, error: problem, refetch } = useQuery(dnsPlanQuery(site, name))
  const [replace, setReplace] = useState(false)
  const client = useQueryClient()
  const removed = (data?.records ?? [])
    .filter(({ action }) => action === 'remove')
    .map(({ type, content }) => ({ name: data?.name ?? name, type, content }))
  const removes = removed.length > 0
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      setDnsRecords(site, { name: data?.name ?? name, replace: replace ? removed : [] }),
    onError: () => void refetch(),
    async onSuccess() {
      toast(`The DNS records of ${unicodeOf(name)} point to the server.`)
      await client.invalidateQueries({ queryKey: domainStatesQuery(site).queryKey })
      onClose()
    },
  })
  const changes = data?.records.some(({ action }) => action !== 'keep') ?? false
  return (
    <DialogForm
      action={changes ? 'Create record' : undefined}
      onSubmit={() => mutate()}
      onCancel={onClose}
      cancel={changes ? 'Cancel' : 'Close'}
      isBlocked={removes && !replace}
      isBusy={isPending}
      error={error}
    >
      <QueryState of={{ data, error: problem, refetch }} rows={2} />
      {data && <Records plan={data} />}
      {removes && (
        <CheckField
          label="Replace the records that point elsewhere"
          about="Visitors of the current address reach this server instead."
          checked={replace}
          onChange={setReplace}
        />
      )}
    </DialogForm>
  )
}

const ACTIONS = { keep: 'Stays', create: 'Create', remove: 'Remove' } as const

function Records({ plan: { zone, account, records } }: { plan: DnsRecordPlan }) {
  return (
    <>
      <p className="text-muted">
        In the zone {unicodeOf(zone)} of {account}:
      </p>
      <ul className="flex flex-col gap-1">
        {records.map(({ action, type, content, proxied }) => (
          <li key={`${type} ${content}`} className="break-all">
            {ACTIONS[action]} {type} <span className="font-mono text-xs">{content}</span>
            {proxied && ' (proxied)'}
          </li>
        ))}
      </ul>
    </>
  )
}
