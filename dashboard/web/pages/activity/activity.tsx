import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Activity, Download } from 'lucide-react'
import { activityQuery, EXPORT_ADDRESS } from '#dashboard/web/api/activity.ts'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import {
  ACTIVITY_SOURCES,
  ACTIVITY_TYPES,
  activityName,
  actorOf,
} from '#dashboard/web/labels/activity.ts'
import { mistakesIn } from '#dashboard/web/ui/address.ts'
import { AddressMistakes } from '#dashboard/web/ui/address-mistakes.tsx'
import { ButtonAnchor } from '#dashboard/web/ui/button.tsx'
import { FilterBar, type Values } from '#dashboard/web/ui/filter-bar.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { Pager } from '#dashboard/web/ui/pager.tsx'
import { BulkLink, OperationLink, ServerLink, SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import { SearchInput } from '#dashboard/web/ui/search-input.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { type Column, RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { type FleetActivity, FleetActivityQuery } from '#shared/kernel/api/activity.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { ACTIVITY_STATUSES } from '#shared/kernel/values.ts'
import { RecordState } from './record-state.tsx'
import { type ActivitySearch, readActivitySearch } from './search.ts'

/** Every change and every login. */
export function ActivityPage() {
  const raw = useSearch({ from: '/inside/activity' })
  const search = readActivitySearch(raw)
  const mistakes = mistakesIn(raw, FleetActivityQuery)
  const seesFleet = useMay()('read')
  return (
    <Page
      title="Activity"
      about={
        seesFleet
          ? 'Who changed what and when, and every login.'
          : 'Who changed what and when on your servers and sites.'
      }
      actions={
        <ButtonAnchor needs="read" icon={<Download />} href={EXPORT_ADDRESS} download>
          Export record
        </ButtonAnchor>
      }
    >
      {seesFleet && <RecordState />}
      <Filters search={search} />
      {mistakes.length > 0 ? <AddressMistakes of={mistakes} /> : <Matching search={search} />}
    </Page>
  )
}

function Matching({ search }: { search: ActivitySearch }) {
  const { before, ...filters } = search
  const { data, error, refetch } = useQuery(activityQuery(filters, before))
  return (
    <Card flush>
      <QueryState of={{ data, error, refetch }} rows={8} flush />
      {data?.activities.length === 0 && (
        <Empty icon={<Activity />} title="No activity">
          No matching entries. Old entries are removed after a while.
        </Empty>
      )}
      {data && data.activities.length > 0 && <Entries activities={data.activities} />}
      {data && <Pager about={countOf(data.total, before)} before={before} older={data.older} />}
    </Card>
  )
}

const countOf = (total: number, before: string | undefined) =>
  `${formatCount(total, 'entry', 'entries')}${before === undefined ? '' : ' from here'}`

const STATUSES = ACTIVITY_STATUSES.map((value) => ({ value, name: value }))

function Filters({ search }: { search: ActivitySearch }) {
  const { data: fleet } = useQuery(fleetQuery)
  const navigate = useNavigate({ from: '/activity' })
  const { before: _, ...values } = search
  const set = (change: Values, replace = false) =>
    void navigate({ search: (old) => ({ ...old, before: undefined, ...change }), replace })
  const servers = (fleet?.servers ?? []).map(({ id, name }) => ({ value: String(id), name }))
  return (
    <FilterBar
      page="activity"
      search={
        <SearchInput
          name="Exact domain or hostname"
          value={search.domain ?? ''}
          onChange={(text, isContinued) => set({ domain: text || undefined }, isContinued)}
          className="w-full sm:w-64"
        />
      }
      filters={[
        { name: 'type', label: 'Action', options: ACTIVITY_TYPES },
        { name: 'status', label: 'Status', options: STATUSES },
        { name: 'server_id', label: 'Server', options: servers },
        { name: 'via', label: 'Source', options: ACTIVITY_SOURCES },
        { name: 'user', label: 'E-mail address of the user', options: [], input: 'text' },
        { name: 'address', label: 'IP address', options: [], input: 'text' },
        { name: 'since', label: 'From day (UTC)', options: [], input: 'date' },
        { name: 'until', label: 'Before day (UTC)', options: [], input: 'date' },
      ]}
      values={values}
      onChange={set}
    />
  )
}

const LINK = 'font-medium text-accent hover:underline'

/** Fewer columns on narrow screens. */
const Entries = ({ activities }: { activities: readonly FleetActivity[] }) => (
  <RecordTable label="Activity" rows={activities} keyOf={({ id }) => id} columns={COLUMNS} />
)

const COLUMNS: readonly Column<FleetActivity>[] = [
  {
    name: 'Action',
    cell: 'max-sm:align-top',
    show: (entry) => (
      <>
        <What {...entry} />
        {entry.detail !== null && <p className="text-xs break-all text-muted">{entry.detail}</p>}
        <p className="text-xs break-words text-muted lg:hidden">
          {actorOf(entry)}
          {entry.address !== null && ` from ${entry.address}`}
        </p>
        <p className="mt-1 sm:hidden">
          <Status value={entry.status} />
        </p>
      </>
    ),
  },
  {
    name: 'Target',
    cell: 'max-sm:align-top',
    show: (entry) => (
      <>
        <On {...entry} />
        <p className="text-xs lg:hidden">
          <Where {...entry} />
        </p>
        <p className="mt-1 text-xs text-muted sm:hidden">
          <Time at={entry.created_at} />
        </p>
      </>
    ),
  },
  {
    name: 'Server',
    className: 'whitespace-nowrap max-lg:hidden',
    show: (entry) => <Where {...entry} />,
  },
  {
    name: 'Who',
    className: 'max-lg:hidden',
    cell: 'break-words text-muted',
    show: (entry) => (
      <>
        {actorOf(entry)}
        {entry.address !== null && <p className="text-xs">from {entry.address}</p>}
      </>
    ),
  },
  { name: 'Status', className: 'max-sm:hidden', show: ({ status }) => <Status value={status} /> },
  {
    name: 'When',
    className: 'text-right max-sm:hidden',
    cell: 'text-muted',
    show: ({ created_at }) => <Time at={created_at} />,
  },
]

function Where({ server_id, server }: FleetActivity) {
  if (server_id === null) return null
  return (
    <ServerLink id={server_id} className="hover:underline">
      {server}
    </ServerLink>
  )
}

/** Links to its operation, while that is recorded. */
function What({ type, operation_id, bulk_id }: FleetActivity) {
  const name = activityName(type)
  if (operation_id !== null)
    return (
      <OperationLink id={operation_id} className={LINK}>
        {name}
      </OperationLink>
    )
  if (bulk_id !== null)
    return (
      <BulkLink id={bulk_id} className={LINK}>
        {name}
      </BulkLink>
    )
  return <span className="font-medium">{name}</span>
}

function On({ domain, site_id }: FleetActivity) {
  if (site_id === null) return <span className="break-words">{unicodeOf(domain)}</span>
  return (
    <SiteLink id={site_id} className="break-words hover:underline">
      {unicodeOf(domain)}
    </SiteLink>
  )
}
