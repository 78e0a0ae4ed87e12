import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ArchiveRestore } from 'lucide-react'
import { useState } from 'react'
import { planRecovery, recoverSites } from '#dashboard/web/api/lost-servers.ts'
import { AcceptMany, consentsIn } from '#dashboard/web/ui/accept.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Check, CheckField } from '#dashboard/web/ui/check.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Select, SelectField, selectProps } from '#dashboard/web/ui/field.tsx'
import { formatBytes, formatCount } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { optionsFor } from '#dashboard/web/ui/option.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { PlanSummary } from '#dashboard/web/ui/plan.tsx'
import { SiteLink, useOpenBulk } from '#dashboard/web/ui/record-links.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'
import type { LostServerView, LostSite, RecoveryPlans } from '#shared/recovery/api/lost-servers.ts'

interface RestoreCardProps {
  server: FleetServerDetail
  /** The sites that can be restored. */
  sites: readonly LostSite[]
  view: LostServerView
}

type Destination = LostServerView['destinations'][number]

/** The choice of a server for each site, the plan, and the confirmation. */
export function RestoreCard({ server, sites, view: { destinations } }: RestoreCardProps) {
  const [to, setTo] = useState<number>()
  const [own, setOwn] = useState<ReadonlyMap<number, number>>(new Map())
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set())
  const [dns, setDns] = useState(true)
  const common = to ?? (destinations.length === 1 ? destinations[0]?.id : undefined)
  const chosen = sites
    .filter(({ id }) => !left.has(id))
    .flatMap(({ id: site_id, backup }) => {
      const server_id = own.get(site_id) ?? common
      return server_id === undefined ? [] : [{ site_id, server_id, bytes: backup?.bytes ?? 0 }]
    })
  const call = {
    sites: chosen.map(({ site_id, server_id }) => ({ site_id, server_id })),
    dns,
  }
  const all = sites.length - left.size
  const toggle = (id: number) => setLeft(left.has(id) ? without(left, id) : new Set([...left, id]))
  if (destinations.length === 0)
    return (
      <Notice kind="warn" title="No other server is online">
        Add a server, or check why the others are offline. The sites are restored there.
      </Notice>
    )
  return (
    <Card title="Sites to restore" flush>
      <div className="flex flex-col gap-4 p-4">
        <SelectField
          label="Restore all sites on"
          name="server_id"
          hint="It needs the PHP version of each site. Choose another server for single sites in the table."
          value={common}
          options={[
            NO_SERVER,
            ...destinations.map((one) => ({ value: one.id, name: labelOf(one) })),
          ]}
          onChange={setTo}
        />
        <CheckField
          label="Change the DNS records at Cloudflare"
          about="In the zones of your DNS accounts: the records that lead to the lost server lead to the new one before the certificate is requested. This page lists the records of other names after the restore."
          checked={dns}
          onChange={setDns}
        />
        <Space chosen={chosen} destinations={destinations} />
      </div>
      <RecordTable
        label="Sites to restore"
        isStacked
        rows={sites}
        keyOf={({ id }) => id}
        columns={[
          {
            name: 'Selected',
            heading: (
              <Check
                name="Select all sites"
                checked={left.size === 0}
                mixed={left.size > 0 && all > 0}
                onChange={(yes) => setLeft(new Set(yes ? [] : sites.map(({ id }) => id)))}
              />
            ),
            show: ({ id, domain }) => (
              <Check
                name={`Select ${unicodeOf(domain)}`}
                checked={!left.has(id)}
                onChange={() => toggle(id)}
              />
            ),
          },
          { name: 'Site', show: (site) => <SiteName site={site} /> },
          { name: 'Newest backup', show: ({ backup }) => <Backup of={backup} /> },
          {
            name: 'Server',
            show: (site) => (
              <ServerOfSite
                site={site}
                destinations={destinations}
                value={own.get(site.id) ?? common}
                onChange={(id) => setOwn(new Map([...own, [site.id, id]]))}
              />
            ),
          },
        ]}
      />
      <Start
        key={JSON.stringify(call)}
        server={server}
        call={call}
        isWhole={chosen.length === all}
      />
    </Card>
  )
}

const without = (ids: ReadonlySet<number>, id: number) =>
  new Set([...ids].filter((one) => one !== id))

const labelOf = ({ name, sites, free_bytes }: Destination) =>
  `${name} (${formatCount(sites, 'site')}${free_bytes === null ? '' : `, ${formatBytes(free_bytes)} free`})`

interface SpaceProps {
  chosen: readonly { server_id: number; bytes: number }[]
  destinations: readonly Destination[]
}

/** Warns of servers that have less free space than the chosen backups need. */
function Space({ chosen, destinations }: SpaceProps) {
  const full = destinations.flatMap(({ id, name, free_bytes }) => {
    const mine = chosen.filter(({ server_id }) => server_id === id)
    const needed = mine.reduce((sum, { bytes }) => sum + bytes, 0)
    return free_bytes !== null && needed > free_bytes ? [{ name, needed, free_bytes }] : []
  })
  return full.map(({ name, needed, free_bytes }) => (
    <Notice key={name} kind="warn" title={`${name} has too little space`}>
      The sites need {formatBytes(needed)}, and {formatBytes(free_bytes)} are free.
    </Notice>
  ))
}

interface StartProps {
  server: FleetServerDetail
  call: { sites: { site_id: number; server_id: number }[]; dns: boolean }
  /** Each selected site has a server. */
  isWhole: boolean
}

function Start({ server, call, isWhole }: StartProps) {
  const client = useQueryClient()
  const openBulk = useOpenBulk()
  const { dialog, show } = useDialog()
  const [accepted, setAccepted] = useState(false)
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: () => planRecovery(server.id, call),
  })
  const consents = consentsIn(data ? asksIn(data).flatMap(({ effects }) => effects) : [])
  const count = call.sites.length
  const restore = async () => {
    const accept = consents.length > 0 ? { accept: consents } : {}
    const id = await recoverSites(server.id, { ...call, ...accept, confirm: server.name })
    await client.invalidateQueries({ queryKey: ['servers', server.id] })
    if (id !== undefined) await openBulk(id)
  }
  const isBlocked = count === 0 || !isWhole || server.status === 'online'
  return (
    <div className="flex flex-col gap-4 border-t border-line p-4">
      {error && <Failure error={error} />}
      {data && <Plans of={data} accepted={accepted} onAccept={setAccepted} />}
      <div className="flex flex-wrap gap-2">
        <Button needs="admin" busy={isPending} disabled={isBlocked} onClick={() => mutate()}>
          Review plan
        </Button>
        <Button
          needs="admin"
          kind="danger"
          icon={<ArchiveRestore />}
          disabled={isBlocked || !data || (consents.length > 0 && !accepted)}
          onClick={show}
        >
          Restore {formatCount(count, 'site')}
        </Button>
      </div>
      <Confirm
        {...dialog}
        title={`${server.name} does not come back?`}
        action="Restore sites"
        typed={server.name}
        onConfirm={restore}
      >
        <p>
          {formatCount(count, 'site')} will belong to another server from now on, in the state of
          the backup. What changed since then is lost. If {server.name} answers again, its copies of
          these sites are suspended; their files stay there. Its other records stay until you remove
          it.
        </p>
      </Confirm>
    </div>
  )
}

/** The changes that need consent, in the form of bulk operations. */
const asksIn = ({ plans }: RecoveryPlans) =>
  plans.map(({ plan, error, ...target }) => ({
    ...target,
    effects: (plan?.steps ?? []).flatMap(({ effects }) =>
      effects.filter(({ asks }) => asks !== undefined),
    ),
    error,
  }))

interface PlansProps {
  of: RecoveryPlans
  accepted: boolean
  onAccept: (accepted: boolean) => void
}

function Plans({ of, accepted, onAccept }: PlansProps) {
  const refused = of.plans.filter(({ error }) => error !== null)
  const asks = { asks: asksIn(of).filter(({ error }) => error === null), unasked: of.unplanned }
  return (
    <>
      {refused.length > 0 && (
        <Notice
          kind="bad"
          title={`${formatCount(refused.length, 'site')} cannot be restored there`}
        >
          <ul>
            {refused.map(({ site_id, domain, error }) => (
              <li key={site_id}>
                {unicodeOf(domain)}: {error?.message ?? error?.error}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {of.plans.map(
        ({ site_id, domain, plan }) =>
          plan && (
            <section key={site_id} aria-label={`Plan of ${unicodeOf(domain)}`}>
              <p className="mb-1 font-medium wrap-anywhere">{unicodeOf(domain)}</p>
              <PlanSummary plan={plan} />
            </section>
          ),
      )}
      <AcceptMany asks={asks} accepted={accepted} onChange={onAccept} />
    </>
  )
}

const SiteName = ({ site: { id, domain, php, state, reason } }: { site: LostSite }) => (
  <>
    <SiteLink id={id} className="font-medium wrap-anywhere hover:underline">
      {unicodeOf(domain)}
    </SiteLink>
    <p className="text-xs text-muted">PHP {php}</p>
    {state === 'failed' && <p className="text-xs text-bad">Restore failed: {reason}</p>}
  </>
)

const NO_SERVER = { value: undefined, name: 'Choose a server' }

interface ServerOfSiteProps {
  site: LostSite
  destinations: readonly Destination[]
  value: number | undefined
  onChange: (server_id: number) => void
}

/** The server that takes a site. */
function ServerOfSite({ site, destinations, value, onChange }: ServerOfSiteProps) {
  const to = destinations.find(({ id }) => id === value)
  const isLacking = to !== undefined && !to.php_versions.includes(site.php)
  return (
    <>
      <Select
        aria-label={`Server for ${unicodeOf(site.domain)}`}
        {...selectProps({
          value,
          options: [...(value === undefined ? [NO_SERVER] : []), ...optionsFor(destinations)],
          onChange: (id) => id !== undefined && onChange(id),
        })}
      />
      {isLacking && (
        <p className="mt-1 text-xs text-bad">
          {to.name} does not have PHP {site.php}: install it there.
        </p>
      )}
    </>
  )
}

function Backup({ of: backup }: { of: LostSite['backup'] }) {
  if (!backup) return <span className="text-bad">none</span>
  const { at, target, bytes, proven, excluded } = backup
  return (
    <>
      <span className="flex flex-wrap items-center gap-2">
        <Time at={at} />
        <Proof of={proven} />
      </span>
      <p className="text-xs text-muted">
        {formatBytes(bytes)} in {target}
        {excluded > 0 && `, without ${formatCount(excluded, 'excluded path')}`}
      </p>
    </>
  )
}

function Proof({ of: proven }: { of: boolean | null }) {
  if (proven === null) return <Badge tone="warn">not tested</Badge>
  return proven ? <Badge tone="good">proven</Badge> : <Badge tone="bad">test failed</Badge>
}
