import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { startBulk } from '#dashboard/web/api/bulk-operations.ts'
import { useConsent } from '#dashboard/web/features/operations/use-consent.tsx'
import { Dialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { SelectField } from '#dashboard/web/ui/field.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { named } from '#dashboard/web/ui/option.ts'
import { useOpenBulk } from '#dashboard/web/ui/record-links.tsx'
import type { ServerBulkType } from '#shared/operation-types.ts'
import type { FleetServer } from '#shared/overview/api/fleet.ts'
import { SERVER_WORK } from './server-work.ts'

interface BulkDialogProps {
  work: ServerBulkType | undefined
  servers: readonly FleetServer[]
  onClose: () => void
}

export function BulkDialog({ work, servers, onClose }: BulkDialogProps) {
  const title = work ? `${SERVER_WORK[work].name} on ${formatCount(servers.length, 'server')}` : ''
  return (
    <Dialog open={work !== undefined} onClose={onClose} title={title}>
      {work && <BulkForm work={work} servers={servers} onClose={onClose} />}
    </Dialog>
  )
}

/** Says what will happen to which servers, then opens the page of the bulk operation. */
function BulkForm({ work, servers, onClose }: BulkDialogProps & { work: ServerBulkType }) {
  const [service, setService] = useState<'nginx' | 'mariadb'>('nginx')
  const params = work === 'service.restart' ? { service } : {}
  const bulk = { type: work, params, targets: { server_ids: servers.map(({ id }) => id) } }
  const consent = useConsent(bulk, true)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => startBulk({ ...bulk, params: { ...params, ...consent.params } }),
    onSuccess: useOpenBulk(),
  })
  const offline = servers.filter(({ status }) => status !== 'online')
  return (
    <DialogForm
      action={SERVER_WORK[work].action}
      onSubmit={() => mutate()}
      onCancel={onClose}
      isBlocked={consent.isOpen}
      isBusy={isPending}
      error={error}
    >
      <p className="text-muted">{SERVER_WORK[work].about}</p>
      {work === 'service.restart' && (
        <SelectField
          label="Service"
          name="service"
          value={service}
          options={named('nginx', 'mariadb')}
          onChange={setService}
        />
      )}
      <p className="max-h-32 overflow-y-auto rounded-lg bg-sunken px-3 py-2 text-xs break-words">
        {servers.map(({ name }) => name).join(', ')}
      </p>
      {offline.length > 0 && (
        <p className="text-xs text-warn">
          {formatCount(offline.length, 'server is', 'servers are')} not online and will fail:{' '}
          {offline.map(({ name }) => name).join(', ')}
        </p>
      )}
      {consent.question}
    </DialogForm>
  )
}
