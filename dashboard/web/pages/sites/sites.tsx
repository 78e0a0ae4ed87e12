import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useMemo } from 'react'
import { ButtonLink } from '../../ui/button.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Page } from '../../ui/page.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { Filters } from './filters.tsx'
import { NoSites } from './no-sites.tsx'
import {
  type Change,
  filterOf,
  NARROWING,
  readSitesSearch,
  type SitesSearch,
  type Sort,
} from './search.ts'
import { SelectionBar } from './selection-bar.tsx'
import { SitesGrid } from './sites-grid.tsx'
import { useSelection } from './use-selection.ts'
import { useShown } from './use-sites.ts'

const NO_FILTER: Change = Object.fromEntries(NARROWING.map((name) => [name, undefined]))

/** Every site of every server. */
export function SitesPage() {
  const search = useSearch({
    from: '/inside/sites',
    // The router leaves in what was not understood.
    select: (raw) => readSitesSearch({ ...raw }),
    structuralSharing: true,
  })
  const navigate = useNavigate({ from: '/sites' })
  const wanted = useMemo(() => filterOf(search), [search])
  const { filter, total, isChanging, error, retry } = useShown(wanted)
  const { ids, toggle, clear, all } = useSelection(filter)
  const change = (news: Change) =>
    void navigate({ search: (before) => ({ ...before, ...news }) as SitesSearch, replace: true })
  const { sort = 'domain', order, ...narrowing } = search
  const isDescending = order === 'desc'
  const onSort = (by: Sort) =>
    change({
      sort: by === 'domain' ? undefined : by,
      order: by === sort && !isDescending ? 'desc' : undefined,
    })
  const isNarrowed = Object.keys(narrowing).length > 0
  return (
    <Page
      title="Sites"
      about={<Count total={total} isNarrowed={isNarrowed} />}
      actions={
        <ButtonLink to="/sites/new" kind="primary" icon={<Plus aria-hidden />}>
          Create site
        </ButtonLink>
      }
    >
      <Filters search={search} onChange={change} onClear={() => change(NO_FILTER)} />
      {error !== null && <Failure error={error} onRetry={retry} />}
      {total === undefined && !error && <Skeleton rows={12} />}
      {total === 0 && <NoSites isNarrowed={isNarrowed} onClear={() => change(NO_FILTER)} />}
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
      {ids.size > 0 && <SelectionBar ids={ids} onClear={clear} />}
    </Page>
  )
}

function Count({ total, isNarrowed }: { total: number | undefined; isNarrowed: boolean }) {
  const sites = total === 1 ? 'site' : 'sites'
  const text = total === undefined ? '…' : `${formatNumber(total)} ${sites}`
  return (
    <span role="status" className="tabular-nums">
      {isNarrowed ? `${text} match` : text}
    </span>
  )
}
