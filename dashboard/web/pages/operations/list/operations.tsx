import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { History, ListChecks, RotateCw, X } from 'lucide-react'
import { memo, useCallback, useState } from 'react'
import { isBulkActive, recentBulksQuery } from '#dashboard/web/api/bulk-operations.ts'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import {
  activeOperationsQuery,
  cancelOperation,
  isActive,
  pastOperationsQuery,
  retryOperation,
} from '#dashboard/web/api/operations.ts'
import { OperationAction } from '#dashboard/web/features/operations/actions.tsx'
import { bulkTitle, OPERATION_CHOICES, operationTitle } from '#dashboard/web/labels/operation.ts'
import { BulkProgress } from '#dashboard/web/pages/operations/bulk/bulk-progress.tsx'
import { mistakesIn } from '#dashboard/web/ui/address.ts'
import { AddressMistakes } from '#dashboard/web/ui/address-mistakes.tsx'
import { Button, IconButton } from '#dashboard/web/ui/button.tsx'
import { Check } from '#dashboard/web/ui/check.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { cx } from '#dashboard/web/ui/cx.ts'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Elapsed } from '#dashboard/web/ui/elapsed.tsx'
import { FilterBar } from '#dashboard/web/ui/filter-bar.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { OperationStatus } from '#dashboard/web/ui/operation-status.tsx'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { Pager } from '#dashboard/web/ui/pager.tsx'
import { BulkLink, OperationLink } from '#dashboard/web/ui/record-links.tsx'
import { RightsAt, useMay } from '#dashboard/web/ui/rights.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { unicodeIn, unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { OPERATION_STATUSES } from '#shared/kernel/values.ts'
import { retryRightOf } from '#shared/operation-types.ts'
import type { BulkOperationView } from '#shared/operations/api/bulk-operations.ts'
import { OperationsQuery, type OperationView } from '#shared/operations/api/operations.ts'
import { type OperationsSearch, readOperationsSearch } from './search.ts'
import { type Many, useMany } from './use-many.ts'

const ABOUT = 'What the dashboard does on your servers, live and in the past.'
const NONE: OperationView[] = []

/** Running and past operations. */
export function OperationsPage() {
  const raw = useSearch({ from: '/inside/operations' })
  const search = readOperationsSearch(raw)
  const mistakes = mistakesIn(raw, OperationsQuery)
  if (mistakes.length === 0) return <Matching search={search} />
  return (
    <Page title="Operations" about={ABOUT}>
      <Filters search={search} domain={undefined} />
      <AddressMistakes of={mistakes} />
    </Page>
  )
}

function Matching({ search }: { search: OperationsSearch }) {
  const { before, ...filters } = search
  const shows = sectionsOf(search)
  const active = useQuery({ ...activeOperationsQuery(filters), enabled: shows.active })
  const past = useQuery({ ...pastOperationsQuery(filters, before), enabled: shows.past })
  const selection = useSelection()
  const all = [
    ...(shows.active ? (active.data ?? NONE) : NONE),
    ...(shows.past ? (past.data?.operations ?? NONE) : NONE),
  ]
  const selected = all.filter(({ id }) => selection.ids.has(id))
  const domain = all.find(({ site_id }) => String(site_id) === filters.site_id)?.domain
  return (
    <Page title="Operations" about={ABOUT}>
      <Filters search={search} domain={domain} />
      {shows.active && <Running query={active} selection={selection} />}
      {shows.active && Object.keys(filters).length === 0 && <Bulks />}
      {shows.past && <Past query={past} before={before} selection={selection} />}
      {selected.length > 0 && <SelectionBar selected={selected} onClear={selection.clear} />}
    </Page>
  )
}

/** Which of running and past operations the filters can match. */
function sectionsOf({ status, before }: OperationsSearch) {
  const statuses = status?.split(',') ?? []
  const isActive = (each: string) => each === 'queued' || each === 'running'
  return {
    active: before === undefined && (status === undefined || statuses.some(isActive)),
    past: status === undefined || !statuses.every(isActive),
  }
}

interface PastProps {
  query: UseQueryResult<{ operations: OperationView[]; older: string | undefined }>
  /** The parameter of the address. */
  before: string | undefined
  selection: Selection
}

/** Past operations, newest first, in pages. */
function Past({ query: { data, error, refetch }, before, selection }: PastProps) {
  return (
    <Card title="History" flush>
      <QueryState of={{ data, error, refetch }} rows={6} flush />
      {data?.operations.length === 0 && (
        <Empty icon={<History />} title="No past operations">
          No past operation matches the filters.
        </Empty>
      )}
      {data && data.operations.length > 0 && (
        <List label="History" operations={data.operations} selection={selection} />
      )}
      <Pager before={before} older={data?.older} />
    </Card>
  )
}

interface RunningProps {
  query: UseQueryResult<OperationView[]>
  selection: Selection
}

/** Running operations, live. */
function Running({ query: { data, error, refetch }, selection }: RunningProps) {
  const count = data?.length ?? 0
  return (
    <Card
      title="Running"
      flush
      {...(count > 0 && {
        actions: <span className="text-muted tabular-nums">{formatNumber(count)}</span>,
      })}
    >
      <QueryState of={{ data, error, refetch }} rows={2} flush />
      {data && count === 0 && (
        <Empty icon={<ListChecks />} title="No running operations">
          Running operations appear here. They continue without this page.
        </Empty>
      )}
      {data && count > 0 && <List label="Running" operations={data} selection={selection} />}
    </Card>
  )
}

const STATUSES = OPERATION_STATUSES.map((value) => ({ value, name: value }))
interface FiltersProps {
  search: OperationsSearch
  /** The domain of the site, once one of its operations is loaded. */
  domain: string | undefined
}

function Filters({ search, domain }: FiltersProps) {
  const { data: fleet } = useQuery(fleetQuery)
  const navigate = useNavigate({ from: '/operations' })
  const { before: _, ...values } = search
  const servers = (fleet?.servers ?? []).map(({ id, name }) => ({ value: String(id), name }))
  return (
    <FilterBar
      page="operations"
      filters={[
        { name: 'status', label: 'Status', options: STATUSES, isMany: true },
        { name: 'type', label: 'Type', options: OPERATION_CHOICES },
        { name: 'server_id', label: 'Server', options: servers },
        {
          name: 'site_id',
          label: 'Site',
          isFixed: true,
          options:
            domain === undefined ? [] : [{ value: search.site_id ?? '', name: unicodeOf(domain) }],
        },
        { name: 'bulk_id', label: 'Bulk operation', options: [], isFixed: true },
      ]}
      values={values}
      onChange={(change) =>
        void navigate({ search: (old) => ({ ...old, before: undefined, ...change }) })
      }
    />
  )
}

/** Bulk operations: the running ones and the last ones. Nothing if there are none. */
function Bulks() {
  const { data = [] } = useQuery(recentBulksQuery)
  if (data.length === 0) return null
  return (
    <Card title="Bulk operations" flush>
      <ul aria-label="Bulk operations" className="divide-y divide-line">
        {data.map((bulk) => (
          <Bulk key={bulk.id} bulk={bulk} />
        ))}
      </ul>
    </Card>
  )
}

function Bulk({ bulk }: { bulk: BulkOperationView }) {
  const { id, status, created_at, reason } = bulk
  return (
    <li className="grid items-center gap-x-4 gap-y-1.5 px-4 py-2.5 md:grid-cols-[6.5rem_minmax(12rem,1fr)_minmax(0,1.2fr)]">
      <span>
        <Status value={isBulkActive(bulk) && status === 'cancelled' ? 'ending' : status} />
      </span>
      <div className="min-w-0">
        <BulkLink id={id} className="font-medium hover:underline">
          {bulkTitle(bulk)}
        </BulkLink>
        <p className="truncate text-xs text-muted">
          <Time at={created_at} />
          {reason && ` · ${reason}`}
        </p>
      </div>
      <BulkProgress counts={bulk.counts} />
    </li>
  )
}

interface SelectionBarProps {
  selected: readonly OperationView[]
  onClear: () => void
}

/** What can be done to all that are selected. */
function SelectionBar({ selected, onClear }: SelectionBarProps) {
  const { dialog, show } = useDialog()
  const toCancel = selected.filter((each) => isActive(each) && each.cancel === null)
  const may = useMay()
  const toRetry = selected.filter(
    (each) => !isActive(each) && each.status !== 'success' && may(retryRightOf(each.type), each),
  )
  const cancel = useMany('cancelled', cancelOperation)
  const retry = useMany('retried', retryOperation)
  return (
    <section
      aria-label="Selected operations"
      className="sticky bottom-3 z-20 flex flex-wrap items-center justify-center gap-1 self-center rounded-xl border border-line-strong bg-raised p-2 shadow-lg"
    >
      <span role="status" className="px-2 font-medium whitespace-nowrap tabular-nums">
        {formatNumber(selected.length)} selected
      </span>
      <Button
        kind="quiet"
        icon={<X />}
        disabled={toCancel.length === 0}
        busy={cancel.isPending}
        onClick={show}
      >
        Cancel {count(toCancel)}
      </Button>
      <Button
        kind="quiet"
        icon={<RotateCw />}
        disabled={toRetry.length === 0}
        busy={retry.isPending}
        onClick={() => void act(retry, toRetry, onClear)}
      >
        Retry {count(toRetry)}
      </Button>
      <IconButton name="Clear selection" icon={<X />} onClick={onClear} />
      <Confirm
        {...dialog}
        title={`Cancel ${formatNumber(toCancel.length)} operations?`}
        action="Cancel operations"
        keep="Keep running"
        onConfirm={() => act(cancel, toCancel, onClear)}
      >
        Their changes are undone. You can retry them later.
      </Confirm>
    </section>
  )
}

const count = (operations: readonly OperationView[]) =>
  operations.length > 0 ? formatNumber(operations.length) : ''

async function act(many: Many, operations: readonly OperationView[], onDone: () => void) {
  await many.mutateAsync(operations.map(({ id }) => id))
  onDone()
}

const MAX_SHOWN = 100

interface ListProps {
  label: string
  operations: readonly OperationView[]
  selection: Selection
}

/** A list of operations; long lists are shortened until the user requests all. */
function List({ label, operations, selection }: ListProps) {
  const [all, setAll] = useState(false)
  const shown = all ? operations : operations.slice(0, MAX_SHOWN)
  const may = useMay()
  const selectable = operations.filter((each) => may('operate', each))
  const chosen = selectable.filter(({ id }) => selection.ids.has(id)).length
  return (
    <>
      {selectable.length > 0 && (
        <div className="flex items-center gap-3 border-b border-line px-4 py-1.5 text-xs text-muted">
          <Check
            name={`Select all: ${label}`}
            checked={chosen === selectable.length}
            mixed={chosen > 0 && chosen < selectable.length}
            onChange={(selected) =>
              selection.selectAll(
                selectable.map(({ id }) => id),
                selected,
              )
            }
          />
          {chosen > 0
            ? `${formatNumber(chosen)} of ${formatNumber(selectable.length)}`
            : 'Select all'}
        </div>
      )}
      <ul aria-label={label} className="divide-y divide-line">
        {shown.map((operation) => (
          <Row
            key={operation.id}
            operation={operation}
            selected={selection.ids.has(operation.id)}
            onSelect={selection.select}
          />
        ))}
      </ul>
      {shown.length < operations.length && (
        <div className="border-t border-line p-3 text-center">
          <Button onClick={() => setAll(true)}>Show all {formatNumber(operations.length)}</Button>
        </div>
      )}
    </>
  )
}

interface RowProps {
  operation: OperationView
  selected: boolean
  /** The same function each time, so that rows that have not changed stay as they are. */
  onSelect: (id: string, selected: boolean) => void
}

/** One operation in a list; memoised, so that only changed rows are drawn again. */
const Row = memo(function Row({ operation, selected, onSelect }: RowProps) {
  const { id, server, server_id, site_id, actor, created_at, started_at, finished_at } = operation
  const title = operationTitle(operation)
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)_auto] [contain-intrinsic-size:auto_3.5rem] [content-visibility:auto] items-center gap-x-3 gap-y-1 px-4 py-2.5 lg:grid-cols-[auto_6.5rem_minmax(14rem,1fr)_minmax(0,1.2fr)_6.5rem_2.25rem] lg:*:row-start-1">
      <RightsAt server_id={server_id} site_id={site_id}>
        <Check
          needs="operate"
          name={`Select ${title}`}
          checked={selected}
          onChange={(checked) => onSelect(id, checked)}
        />
      </RightsAt>
      <span className="col-span-2 col-start-2 row-start-2 flex flex-wrap items-center gap-2 lg:col-span-1">
        <OperationStatus of={operation} />
        <span className="text-xs text-muted lg:hidden">
          <Elapsed since={started_at ?? created_at} until={finished_at} />
        </span>
      </span>
      <div className="col-start-2 row-start-1 min-w-0 lg:col-start-3">
        <OperationLink id={id} className="font-medium break-words hover:underline">
          {title}
        </OperationLink>
        <p className="truncate text-xs text-muted">
          {server} · <Time at={created_at} /> · {actor ?? 'System'}
        </p>
      </div>
      <LastLine {...operation} />
      <span className="col-start-5 hidden text-right text-muted lg:block">
        <Elapsed since={started_at ?? created_at} until={finished_at} />
      </span>
      <div className="col-start-3 row-start-1 -mr-2 justify-self-end lg:col-start-6">
        <OperationAction operation={operation} title={title} />
      </div>
    </li>
  )
})

/** Its last log line, or why it waits or failed. */
function LastLine({ error, warnings, last_line, cancel, finished_at }: OperationView) {
  const active = finished_at === null
  const [warning] = warnings
  return (
    <p
      className={cx(
        'col-span-2 col-start-2 row-start-3 text-xs lg:col-span-1 lg:col-start-4',
        error || warning ? 'line-clamp-2 break-words' : 'truncate text-muted',
        warning && 'text-warn!',
        error !== null && (active ? 'text-warn' : 'text-bad'),
      )}
    >
      {active && cancel !== null && 'Cancelling. '}
      {unicodeIn((error ? (error.message ?? error.error) : (warning?.message ?? last_line)) ?? '')}
    </p>
  )
}

/** Which rows are chosen, by their ids. */
function useSelection() {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const select = useCallback((id: string, selected: boolean) => {
    setIds((old) => {
      const next = new Set(old)
      if (selected) next.add(id)
      else next.delete(id)
      return next
    })
  }, [])
  const selectAll = useCallback((all: readonly string[], selected: boolean) => {
    setIds((old) => (selected ? new Set([...old, ...all]) : old.difference(new Set(all))))
  }, [])
  const clear = useCallback(() => setIds(new Set()), [])
  return { ids, select, selectAll, clear }
}

type Selection = ReturnType<typeof useSelection>
