import { Link } from '@tanstack/react-router'
import {
  Archive,
  ArchiveRestore,
  ArchiveX,
  CalendarX,
  CircleAlert,
  CirclePause,
  CircleX,
  Clock,
  CloudOff,
  Copy,
  Database,
  DoorOpen,
  Download,
  FileQuestion,
  Fingerprint,
  HardDrive,
  HeartCrack,
  History,
  type LucideIcon,
  MailWarning,
  MailX,
  PackageX,
  Power,
  RefreshCcwDot,
  RefreshCw,
  RotateCw,
  ServerOff,
  ShieldAlert,
  ShieldOff,
  ShieldPlus,
  Siren,
  Unplug,
} from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useRetry } from '#dashboard/web/features/operations/use-actions.ts'
import { useSync } from '#dashboard/web/features/servers/use-sync.ts'
import { readSitesSearch } from '#dashboard/web/features/sites/search.ts'
import { bulkTitle } from '#dashboard/web/labels/operation.ts'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { cx } from '#dashboard/web/ui/cx.ts'
import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { BulkLink, ServerLink, SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { RightsAt } from '#dashboard/web/ui/rights.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { unicodeIn } from '#shared/kernel/unicode-domain.ts'
import type { BulkOperationView } from '#shared/operations/api/bulk-operations.ts'
import type {
  AttentionItem,
  AttentionKind,
  Attention as AttentionOfKind,
} from '#shared/overview/api/attention.ts'
import type { FleetServer } from '#shared/overview/api/fleet.ts'
import { ATTENTION_NAMES } from '#shared/overview/attention-names.ts'
import { GroupAction, type GroupActionProps } from './group-action.tsx'

const HEADS = {
  critical: { title: 'Critical', about: 'Affects visitors, now or within days.' },
  warning: { title: 'Warnings', about: 'Something is wrong and should be looked at.' },
  info: { title: 'Suggestions', about: 'Nothing is wrong; improvements are possible.' },
} as const

interface AttentionProps {
  groups: readonly AttentionOfKind[]
  paused: readonly BulkOperationView[]
  servers: readonly FleetServer[]
}

/** Items that need attention, most severe first, each with the suggested action. */
export function Attention({ groups, paused, servers }: AttentionProps) {
  return (['critical', 'warning', 'info'] as const).map((severity) => {
    const of = groups.filter((group) => group.severity === severity)
    const hasPaused = severity === 'warning' && paused.length > 0
    if (of.length === 0 && !hasPaused) return null
    return (
      <section key={severity} aria-labelledby={`attention-${severity}`}>
        <div className="mb-2 flex flex-wrap items-baseline gap-x-2">
          <h2 id={`attention-${severity}`} className="font-semibold">
            {HEADS[severity].title}
          </h2>
          <p className="text-xs text-muted">{HEADS[severity].about}</p>
        </div>
        <div className="flex flex-col gap-3">
          {hasPaused && <PausedBulks bulks={paused} />}
          {of.map((group) => (
            <AttentionGroup key={group.kind} group={group} servers={servers} />
          ))}
        </div>
      </section>
    )
  })
}

/** Bulk operations that wait for a person to resume or cancel them. */
function PausedBulks({ bulks }: { bulks: readonly BulkOperationView[] }) {
  const title = formatCount(bulks.length, 'paused bulk operation')
  return (
    <Group icon={CirclePause} severity="warning" title={title}>
      {bulks.map((bulk) => (
        <Line
          key={bulk.id}
          name={
            <BulkLink id={bulk.id} className="font-medium hover:underline">
              {bulkTitle(bulk)}
            </BulkLink>
          }
          reason={bulk.reason}
          action={
            <ButtonLink
              kind="quiet"
              to="/operations/bulk/$bulk_id"
              params={{ bulk_id: bulk.id }}
              aria-label={`Resume or cancel: ${bulkTitle(bulk)}`}
            >
              Resume or cancel
            </ButtonLink>
          }
        />
      ))}
    </Group>
  )
}

const MAX_SHOWN = 5
const LINK = 'text-muted hover:text-text hover:underline'

/** All of one kind: the first five, and the way to the rest. */
function AttentionGroup({ group, servers }: GroupActionProps) {
  const [all, setAll] = useState(false)
  const { kind, severity, total, items } = group
  const icon = KIND_ICONS[kind]
  const [one, many] = ATTENTION_NAMES[kind]
  return (
    <Group
      icon={icon}
      severity={severity}
      title={formatCount(total, one, many)}
      action={<GroupAction group={group} servers={servers} />}
      footer={
        (items.length > MAX_SHOWN || total > items.length) && (
          <Rest group={group} all={all} onToggle={() => setAll(!all)} />
        )
      }
    >
      {(all ? items : items.slice(0, MAX_SHOWN)).map((item) => (
        <Item key={keyOf(item)} kind={kind} item={item} />
      ))}
    </Group>
  )
}

interface RestProps extends Pick<GroupActionProps, 'group'> {
  all: boolean
  onToggle: () => void
}

/** Links to the list of all if there is one; otherwise shows the rest here. */
function Rest({ group: { kind, total, items, query }, all, onToggle }: RestProps) {
  if (query)
    return (
      <Link to="/sites" search={readSitesSearch(query)} className={LINK}>
        View all {formatNumber(total)}
      </Link>
    )
  if (kind === 'operation_failed' && total > items.length)
    return (
      <Link to="/operations" search={{ status: 'failed' }} className={LINK}>
        View all failed operations
      </Link>
    )
  if (items.length <= MAX_SHOWN) return null
  return (
    <button type="button" aria-expanded={all} onClick={onToggle} className={LINK}>
      {all ? 'Show less' : `View all ${formatNumber(items.length)}`}
    </button>
  )
}

const keyOf = ({ server_id, site_id, operation_id, name, reason }: AttentionItem) =>
  [server_id, site_id, operation_id, name, reason].join(' ')

/** The icon of each kind of attention item. */
const KIND_ICONS: Record<AttentionKind, LucideIcon> = {
  records_changed: ShieldAlert,
  factor_reset: ShieldOff,
  owner_made: ShieldAlert,
  server_offline: ServerOff,
  site_down: HeartCrack,
  disk_full: HardDrive,
  service_failed: Unplug,
  service_restarts: RefreshCcwDot,
  site_identity: Fingerprint,
  foreign_address: Fingerprint,
  isolation: DoorOpen,
  site_degraded: CircleAlert,
  site_failed: CircleX,
  certificate: ShieldAlert,
  mail: MailX,
  report_mail: MailWarning,
  site_jobs: CalendarX,
  restore_requested: ArchiveRestore,
  backup_late: ArchiveX,
  backup_missing: CircleX,
  dashboard_backup: CircleX,
  backup_failed: CircleX,
  backup_proof_failed: ArchiveX,
  backup_unproven: Archive,
  backup_keeper: Archive,
  backup_setup: Archive,
  site_disk: Database,
  operation_failed: Siren,
  site_missing: FileQuestion,
  sites_not_recorded: PackageX,
  security_updates: ShieldPlus,
  reboot_needed: Power,
  old_files: History,
  php_eol: Clock,
  agent_outdated: CloudOff,
  name_conflict: Copy,
  updates: Download,
}

interface ItemProps {
  kind: AttentionKind
  item: AttentionItem
}

/** One incident, its reason, and what can be done about it right here. */
function Item({ kind, item }: ItemProps) {
  const { at } = item
  const reason = unicodeIn(item.reason)
  return (
    <Line
      name={<Name item={item} />}
      reason={reason}
      at={at && <Time at={at} />}
      action={
        <RightsAt server_id={item.server_id} site_id={item.site_id}>
          <Action kind={kind} item={item} />
        </RightsAt>
      }
    />
  )
}

/** Leads to the page of what has the problem. */
function Name({ item: { name, server_id, site_id, query } }: Pick<ItemProps, 'item'>) {
  const props = { className: 'font-medium hover:underline', children: unicodeIn(name) }
  if (site_id !== null) return <SiteLink id={site_id} {...props} />
  if (server_id !== null) return <ServerLink id={server_id} {...props} />
  if (query) return <Link to="/sites" search={readSitesSearch(query)} {...props} />
  return <span className="font-medium">{unicodeIn(name)}</span>
}

function Action({ kind, item: { name, server_id, operation_id, count, query } }: ItemProps) {
  if (operation_id !== null) return <Retry operation_id={operation_id} name={name} />
  if (kind === 'server_offline' && server_id !== null)
    return (
      <>
        <Reconnect server={{ id: server_id, name }} />
        <RightsAt where="fleet">
          <ButtonLink
            needs="admin"
            kind="quiet"
            to="/servers/$server_id/lost"
            params={{ server_id: String(server_id) }}
            aria-label={`This server is lost: ${name}`}
          >
            This server is lost
          </ButtonLink>
        </RightsAt>
      </>
    )
  if (!query) return null
  const sites = formatCount(count, 'site')
  return (
    <ButtonLink
      kind="quiet"
      to="/sites"
      search={readSitesSearch(query)}
      aria-label={`Show ${sites} on ${name}`}
    >
      Show {sites}
    </ButtonLink>
  )
}

function Reconnect({ server }: { server: { id: number; name: string } }) {
  const { sync, isSyncing } = useSync(server)
  return (
    <Button
      needs="operate"
      kind="quiet"
      icon={<RefreshCw />}
      aria-label={`Reconnect: ${server.name}`}
      busy={isSyncing}
      onClick={sync}
    >
      Reconnect
    </Button>
  )
}

function Retry({ operation_id, name }: { operation_id: string; name: string }) {
  const { mutate, isPending, data } = useRetry(operation_id, () => undefined)
  if (data !== undefined)
    return (
      <ButtonLink kind="quiet" to="/operations/$operation_id" params={{ operation_id: data }}>
        Show progress
      </ButtonLink>
    )
  return (
    <Button
      needs="operate"
      kind="quiet"
      icon={<RotateCw />}
      aria-label={`Retry for ${unicodeIn(name)}`}
      busy={isPending}
      onClick={() => mutate(false)}
    >
      Retry
    </Button>
  )
}

const LOOKS = {
  critical: 'bg-bad-soft text-bad',
  warning: 'bg-warn-soft text-warn',
  info: 'bg-accent-soft text-accent',
} as const

interface GroupProps {
  icon: LucideIcon
  severity: keyof typeof LOOKS
  title: string
  /** Applies to all of the group. */
  action?: ReactNode
  /** One line for each item. */
  children: ReactNode
  /** The way to the rest. */
  footer?: ReactNode
}

function Group({ icon: Icon, severity, title, action, children, footer }: GroupProps) {
  return (
    <div className="overflow-hidden rounded-xl border border-line bg-surface">
      <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-1.5">
        <span className={cx('rounded-md p-1.5', LOOKS[severity])}>
          <Icon className="size-4" />
        </span>
        <h3 className="flex-1 font-semibold">{title}</h3>
        {action}
      </div>
      <ul className="divide-y divide-line">{children}</ul>
      {footer && <div className="border-t border-line px-4 py-2 text-xs">{footer}</div>}
    </div>
  )
}

interface LineProps {
  name: ReactNode
  /** Shown in full on hover when it does not fit. */
  reason: string
  at?: ReactNode
  action?: ReactNode
}

/** One incident in one line; on a phone the reason is below the name. */
function Line({ name, reason, at, action }: LineProps) {
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-3 px-4 py-1 max-sm:pt-2 sm:flex-nowrap">
      <span className="min-w-0 flex-1 truncate sm:max-w-2/5 sm:flex-none">{name}</span>
      <span
        title={reason}
        className="order-last w-full min-w-0 pb-1.5 text-muted sm:order-none sm:w-auto sm:flex-1 sm:truncate sm:pb-0"
      >
        {reason}
      </span>
      {at && <span className="text-xs whitespace-nowrap text-muted max-sm:hidden">{at}</span>}
      {action}
    </li>
  )
}
