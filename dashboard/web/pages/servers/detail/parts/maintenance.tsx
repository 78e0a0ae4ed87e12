import { useMutation, useQuery } from '@tanstack/react-query'
import { ShieldPlus } from 'lucide-react'
import { useState } from 'react'
import { activeOperationsQuery } from '#dashboard/web/api/operations.ts'
import { installUpdates, maintenanceQuery, planUpdates } from '#dashboard/web/api/servers.ts'
import type { DialogProps } from '#dashboard/web/pages/servers/detail/actions/server-actions.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { Dialog, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { SelectField } from '#dashboard/web/ui/field.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { optionsOf } from '#dashboard/web/ui/option.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { PlanSummary } from '#dashboard/web/ui/plan.tsx'
import { useOpenOperation } from '#dashboard/web/ui/record-links.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Lasting, Time } from '#dashboard/web/ui/time.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'
import type { Maintenance } from '#shared/updates/maintenance.ts'

/** The updates of a server: what is pending, what they wait for, and when the last ones were installed. */
export function MaintenanceCard({ server }: { server: FleetServerDetail }) {
  const { dialog, show } = useDialog()
  const { data, error, refetch } = useQuery(maintenanceQuery(server.id))
  const { data: active = [] } = useQuery(activeOperationsQuery({ server_id: String(server.id) }))
  const isRunning = active.some(({ type }) => type === 'server.update')
  const install = (
    <Button needs="operate" icon={<ShieldPlus />} busy={isRunning} onClick={show}>
      Install updates
    </Button>
  )
  return (
    <Card title="Updates" flush actions={install}>
      <QueryState of={{ data, error, refetch }} flush />
      {data && !data.maintenance && (
        <p className="p-4 text-muted">
          Nothing is known yet. The agent checks a server that is ready for sites within a minute,
          and reports it with the next sync.
        </p>
      )}
      {data?.maintenance && <State maintenance={data.maintenance} />}
      <InstallUpdates server={server} {...dialog} />
    </Card>
  )
}

function State({ maintenance }: { maintenance: Maintenance }) {
  const { packages, packages_problem, reboot, checked_at } = maintenance
  const security = packages.filter((one) => one.security)
  return (
    <div className="flex flex-col divide-y divide-line">
      <section className="px-4 py-3">
        <p className={security.length > 0 ? 'font-medium text-warn' : 'font-medium'}>
          {security.length > 0
            ? `${formatCount(security.length, 'security update')} pending`
            : 'No security update is pending'}
        </p>
        <p className="mt-0.5 text-xs text-muted">{unattendedWords(maintenance)}</p>
        {packages_problem !== '' && (
          <p className="mt-1 text-xs text-warn">
            Pending updates are not known: {packages_problem}
          </p>
        )}
        <Packages packages={packages} />
      </section>
      {reboot.needed && (
        <p className="px-4 py-2.5 text-warn">
          A reboot is needed for {reboot.reasons.join(', ')}.
          <span className="block text-xs text-muted">
            Reboot the server when its sites may be unavailable for a minute.
          </span>
        </p>
      )}
      <OldFiles programs={maintenance.old_files} />
      <Restarts restarts={maintenance.restarts} />
      <p className="px-4 py-2.5 text-xs text-muted">
        {lastWords(maintenance)} Checked <Time at={checked_at} />.
        {maintenance.lists_at === null && ' The package lists were never read.'}
      </p>
    </div>
  )
}

const SOURCES: Record<Maintenance['unattended']['source'], string> = {
  'hosting-control': '',
  administrator:
    ' An administrator configured this on the server; Hosting Control does not change it.',
  none: '',
}

function unattendedWords({ unattended: { enabled, source, detail } }: Maintenance): string {
  const state = enabled
    ? 'The server installs security updates automatically.'
    : 'The server does not install security updates automatically.'
  return `${state}${SOURCES[source]}${detail && source !== 'administrator' ? ` ${detail}.` : ''}`
}

function lastWords({ last_update }: Maintenance): string {
  if (!last_update) return 'No updates installed yet.'
  const { packages, at } = last_update
  const day = new Date(at).toLocaleDateString(undefined, { dateStyle: 'medium' })
  return `Last update: ${formatCount(packages.length, 'package')} on ${day}.`
}

/** The pending updates, security updates first, in a collapsed list. */
function Packages({ packages }: Pick<Maintenance, 'packages'>) {
  if (packages.length === 0) return null
  const ordered = packages.toSorted((one, other) => Number(other.security) - Number(one.security))
  return (
    <details className="mt-2">
      <summary className="cursor-pointer text-xs text-muted hover:text-text">
        {formatCount(packages.length, 'package')} with a newer version
      </summary>
      <ul className="mt-1 max-h-64 overflow-y-auto text-xs">
        {ordered.map(({ name, installed, candidate, security }) => (
          <li key={name} className="flex flex-wrap gap-x-2 py-0.5">
            <span className="font-medium break-all">{name}</span>
            <span className="break-all text-muted">
              {installed || 'new'} → {candidate}
            </span>
            {security && <span className="text-warn">security</span>}
          </li>
        ))}
      </ul>
    </details>
  )
}

function OldFiles({ programs }: { programs: Maintenance['old_files'] }) {
  if (programs.length === 0) return null
  return (
    <section className="px-4 py-2.5">
      <p className="font-medium">
        {formatCount(programs.length, 'program')} still {programs.length === 1 ? 'runs' : 'run'}{' '}
        replaced files
      </p>
      <ul className="mt-1 max-h-64 overflow-y-auto text-xs">
        {programs.map(({ name, domain, since, problem }) => (
          <li key={name} className="py-0.5">
            <span className="font-medium break-all">
              {domain ? `PHP of ${unicodeOf(domain)}` : name}
            </span>{' '}
            <span className="text-muted">
              <Lasting since={since} />. {problem || 'It is restarted automatically'}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Restarts({ restarts }: Pick<Maintenance, 'restarts'>) {
  if (restarts.length === 0) return null
  return (
    <section className="px-4 py-2.5">
      <p className="font-medium">Started again after a failure</p>
      <ul className="mt-1 text-xs">
        {restarts.map(({ name, count, last_at }) => (
          <li key={name} className="py-0.5">
            <span className="font-medium break-all">{name}</span>{' '}
            <span className="text-muted">
              {formatCount(count, 'time')} within an hour, last <Time at={last_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Shows the plan of apt, then runs it. */
function InstallUpdates({ server, open, onClose }: DialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Install updates on ${server.name}`}
      about="Sites stay up: services with replaced files restart one after the other. Installed packages cannot be rolled back."
    >
      <Form server={server} onClose={onClose} />
    </Dialog>
  )
}

function Form({ server, onClose }: Omit<DialogProps, 'open'>) {
  const [scope, setScope] = useState<keyof typeof SCOPE_NAMES>('security')
  const [restart_database, setRestart] = useState(false)
  const [without_backup, setWithout] = useState(false)
  const input = { scope, restart_database, without_backup }
  const preview = useMutation({ mutationFn: () => planUpdates(server.id, input) })
  const start = useMutation({
    mutationFn: () => installUpdates(server.id, input),
    onSuccess: useOpenOperation(),
  })
  return (
    <DialogForm
      action={preview.data ? 'Install updates' : 'Review plan'}
      onSubmit={() => (preview.data ? start.mutate() : preview.mutate())}
      onCancel={onClose}
      isBusy={preview.isPending || start.isPending}
      error={preview.error ?? start.error}
    >
      <SelectField
        label="Updates"
        name="scope"
        value={scope}
        options={SCOPES}
        onChange={(next) => {
          setScope(next)
          preview.reset()
        }}
      />
      <CheckField
        label="Restart MariaDB when it runs replaced files"
        about="The sites of this server are unavailable for some seconds. An update of MariaDB itself restarts it in any case."
        checked={restart_database}
        onChange={(restart) => {
          setRestart(restart)
          preview.reset()
        }}
      />
      {scope === 'all' && (
        <CheckField
          label="Install without backups"
          about="By default, each site without a backup of the last hour is backed up first, as the setting “Backup before changes” says. If a backup fails, nothing is installed."
          checked={without_backup}
          onChange={(skips) => {
            setWithout(skips)
            preview.reset()
          }}
        />
      )}
      {preview.data && <PlanSummary plan={preview.data} isOpen />}
    </DialogForm>
  )
}

const SCOPE_NAMES = { security: 'Security updates', all: 'All updates' }
const SCOPES = optionsOf(SCOPE_NAMES)
