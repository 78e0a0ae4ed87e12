import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Globe, SearchX } from 'lucide-react'
import { type ReactNode, useCallback, useMemo } from 'react'
import type { SitePlace } from '#dashboard/web/api/site-call.ts'
import { type SitesFilter, siteIdsQuery, sitesCountQuery } from '#dashboard/web/api/sites.ts'
import { filterOf, type SitesSearch, type Sort } from '#dashboard/web/features/sites/search.ts'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import type { Values } from '#dashboard/web/ui/filter-bar.tsx'
import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Page } from '#dashboard/web/ui/page.tsx'
import { placeOf, RightsAt, useMay } from '#dashboard/web/ui/rights.tsx'
import { sessionState } from '#dashboard/web/ui/session-state.ts'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { SitesGrid } from './sites-grid.tsx'
import { useShown } from './use-sites.ts'

interface SitesListProps {
  search: SitesSearch
  filters: ReactNode
  actions: ReactNode
  onChange: (change: Values) => void
  onClear: () => void
}

/** The sites that match, and what can be done to those that are selected. */
export function SitesList({ search, filters, actions, onChange, onClear }: SitesListProps) {
  const requested = useMemo(() => filterOf(search), [search])
  const { filter, total, isChanging, error, refetch } = useShown(requested)
  const { ids, shown, toggle, clear, all } = useSelection(filter)
  const { sort = 'domain', order, ...narrowing } = search
  const isDescending = order === 'desc'
  const onSort = (by: Sort) =>
    onChange({
      sort: by === 'domain' ? undefined : by,
      order: by === sort && !isDescending ? 'desc' : undefined,
    })
  const isNarrowed = Object.keys(narrowing).length > 0
  return (
    <Page title="Sites" about={<Count total={total} search={narrowing} />} actions={actions}>
      {filters}
      <QueryState of={{ data: total, error, refetch }} rows={12} />
      {total === 0 && <NoSites isNarrowed={isNarrowed} onClear={onClear} />}
      {total !== undefined && total > 0 && (
        <SitesGrid
          filter={filter}
          total={total}
          isChanging={isChanging}
          selected={ids}
          onToggle={toggle}
          all={all}
          order={{ sort, isDescending, onSort }}
        />
      )}
      {ids.size > 0 && (
        <SelectionBar count={ids.size} sites={isChanging ? undefined : shown} onClear={clear} />
      )}
    </Page>
  )
}

const ALL = filterOf({})

interface CountProps {
  /** The number of sites that match; undefined until the first answer. */
  total: number | undefined
  search: Omit<SitesSearch, 'sort' | 'order'>
}

function Count({ total, search }: CountProps) {
  const { data: all } = useQuery(sitesCountQuery(ALL))
  const isNarrowed = Object.keys(search).length > 0
  // Without a filter, ignored sites and the trash are not listed: they are no part of all sites.
  const isPart = search.ignored !== 'true' && !search.status?.includes('trashed')
  return (
    <span role="status" className="tabular-nums">
      {total === undefined && '…'}
      {total !== undefined &&
        (isNarrowed && isPart && all !== undefined && all >= total
          ? `${formatNumber(total)} of ${formatCount(all, 'site')}`
          : formatCount(total, 'site'))}
    </span>
  )
}

function NoSites({ isNarrowed, onClear }: { isNarrowed: boolean; onClear: () => void }) {
  const seesFleet = useMay()('read', 'fleet')
  if (isNarrowed)
    return (
      <Empty
        icon={<SearchX />}
        title="No site matches"
        action={<Button onClick={onClear}>Clear filters</Button>}
      >
        No site matches all filters. Part of a domain or of a system user is enough.
      </Empty>
    )
  return (
    <Empty
      icon={<Globe />}
      title="No sites yet"
      action={
        <RightsAt where="servers">
          <ButtonLink needs="operate" to="/sites/new" kind="primary">
            Create the first site
          </ButtonLink>
        </RightsAt>
      }
    >
      {seesFleet
        ? 'Sites that you create appear here, and those that an agent finds on its server when it is added.'
        : 'The sites that you have access to appear here.'}
    </Empty>
  )
}

interface Selection {
  ids: ReadonlySet<number>
  /** The filter whose matches are all selected; undefined after a change of the selection. */
  all_of?: SitesFilter | undefined
  /** The last clicked site, and the filter at that time. */
  last?: { id: number; filter: SitesFilter } | undefined
}

const NONE: Selection = { ids: new Set() }
const selection = sessionState(NONE)

const clear = () => selection.set(() => NONE)

const idsOf = (sites: readonly SitePlace[]) => sites.map(({ id }) => id)

/** The selected sites, by their ids: they stay selected when the filters change. */
function useSelection(filter: SitesFilter) {
  const { ids, all_of } = selection.use()
  const may = useMay()
  const isSelectable = (site: SitePlace) => may('operate', placeOf(site))
  const client = useQueryClient()
  const all = useMutation({
    mutationFn: () => client.fetchQuery(siteIdsQuery(filter)),
    onSuccess: ({ sites, total }) => {
      const ids = idsOf(sites.filter(isSelectable))
      selection.set(() => ({ ids: new Set(ids), all_of: filter }))
      if (sites.length < total) toast(`The first ${formatNumber(ids.length)} are selected`)
    },
    onError: toastError,
  })
  const range = useMutation({
    mutationFn: async (ends: readonly number[]) => {
      const { sites } = await client.fetchQuery(siteIdsQuery(filter))
      const ids = idsOf(sites.filter(isSelectable))
      const [from = -1, to = -1] = ends.map((id) => ids.indexOf(id)).sort((a, b) => a - b)
      return from < 0 ? [] : ids.slice(from, to + 1)
    },
    onSuccess: (between) =>
      selection.set(({ ids, last }) => ({ ids: new Set([...ids, ...between]), last })),
    onError: toastError,
  })
  const select = range.mutate
  /** With Shift, all sites between it and the previous one are also selected. */
  const toggle = useCallback(
    (id: number, isRange = false) => {
      const { last } = selection.get()
      if (isRange && last?.filter === filter) select([last.id, id])
      selection.set((before) => toggled(before, id, { filter, isRange }))
    },
    [filter, select],
  )
  const isAll = ids.size > 0 && all_of === filter
  const box = {
    selected: isAll ? 'all' : ids.size > 0 ? 'some' : 'none',
    isBusy: all.isPending,
    onSelectAll: isAll ? clear : () => all.mutate(),
  } as const
  return { ids, shown: useShownOf(ids, filter), toggle, clear, all: box }
}

function toggled(
  { ids }: Selection,
  id: number,
  { filter, isRange }: { filter: SitesFilter; isRange: boolean },
): Selection {
  const next = new Set(ids)
  if (isRange || !next.delete(id)) next.add(id)
  return { ids: next, last: { id, filter } }
}

/** Returns the selected sites that match the filters; undefined until that is known. */
function useShownOf(
  ids: ReadonlySet<number>,
  filter: SitesFilter,
): readonly SitePlace[] | undefined {
  const { data } = useQuery({ ...siteIdsQuery(filter), enabled: ids.size > 0 })
  return useMemo(() => data?.sites.filter(({ id }) => ids.has(id)), [data, ids])
}
