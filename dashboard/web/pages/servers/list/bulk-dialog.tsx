import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { startBulk } from '#dashboard/web/api/bulk-operations.ts'
import { useConsent } from '#dashboard/web/features/consent/use-consent.tsx'
import { Dialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Select } from '#dashboard/web/ui/field.tsx'
import { useOpenBulk } from '#dashboard/web/ui/record-links.tsx'
import type { FleetServer } from '#shared/api/fleet.ts'
import type { ServerBulkType } from '#shared/operation-types/index.ts'

const TEXTS: Record<ServerBulkType, { title: string; about: string; action: string }> = {
  'server.sync': {
    title: 'Sync',
    about: 'Makes the records agree with what each machine reports. Nothing is changed there.',
    action: 'Sync',
  },
  'service.restart': {
    title: 'Restart a service',
    about: 'Sites on these servers are briefly unavailable while it restarts.',
    action: 'Restart',
  },
  'server.provision': {
    title: 'Provision',
    about:
      'Installs and configures nginx, PHP-FPM, MariaDB and wp-cli, with the PHP version of the distribution. Existing software and sites stay as they are.',
    action: 'Provision',
  },
  'server.update': {
    title: 'Install security updates',
    about:
      'Installs the security updates of Debian, and restarts services with replaced files, one site after the other. Sites stay up; installed packages cannot be rolled back.',
    action: 'Install',
  },
  'isolation.check': {
    title: 'Check the isolation of sites',
    about:
      'Creates two temporary sites on each server, attacks one of them from the other, and removes both. No other site is affected.',
    action: 'Check',
  },
  'agent.upgrade': {
    title: 'Upgrade the agent',
    about:
      'Installs the agent version of this dashboard on each server. If it does not answer, the previous version is restored automatically. Sites are not affected.',
    action: 'Upgrade',
  },
}

interface BulkDialogProps {
  work: ServerBulkType | undefined
  servers: readonly FleetServer[]
  onClose: () => void
}

export function BulkDialog({ work, servers, onClose }: BulkDialogProps) {
  const count = servers.length === 1 ? '1 server' : `${servers.length} servers`
  const title = work ? `${TEXTS[work].title} on ${count}` : ''
  return (
    <Dialog open={work !== undefined} onClose={onClose} title={title}>
      {work && <BulkForm work={work} servers={servers} onClose={onClose} />}
    </Dialog>
  )
}

/** Says what will happen to which servers, then opens the page of the bulk operation. */
function BulkForm({ work, servers, onClose }: BulkDialogProps & { work: ServerBulkType }) {
  const [service, setService] = useState('nginx')
  const params = work === 'service.restart' ? { service } : {}
  const bulk = { type: work, params, targets: { server_ids: servers.map(({ id }) => id) } }
  const consent = useConsent(bulk, true)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => startBulk({ ...bulk, params: { ...params, ...consent.params } }),
    onSuccess: useOpenBulk(),
  })
  const away = servers.filter(({ status }) => status !== 'online')
  return (
    <DialogForm
      action={TEXTS[work].action}
      onSubmit={() => mutate()}
      onCancel={onClose}
      isBlocked={consent.isOpen}
      isBusy={isPending}
      error={error}
    >
      <p className="text-muted">{TEXTS[work].about}</p>
      {work === 'service.restart' && (
        <Field label="Service" name="service">
          <Select value={service} onChange={(event) => setService(event.target.value)}>
            <option>nginx</option>
            <option>mariadb</option>
          </Select>
        </Field>
      )}
      <p className="max-h-32 overflow-y-auto rounded-lg bg-sunken px-3 py-2 text-xs break-words">
        {servers.map(({ name }) => name).join(', ')}
      </p>
      {away.length > 0 && (
        <p className="text-xs text-warn">
          {away.length === 1 ? '1 of them is' : `${away.length} of them are`} not online and will
          fail: {away.map(({ name }) => name).join(', ')}
        </p>
      )}
      {consent.question}
    </DialogForm>
  )
}
