import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useMemo } from 'react'
import { fleetQuery, wordpressQuery } from '#dashboard/web/api/fleet.ts'
import {
  NARROWING,
  readSitesSearch,
  type SitesSearch,
} from '#dashboard/web/features/sites/search.ts'
import { mistakesIn } from '#dashboard/web/ui/address.ts'
import { AddressMistakes } from '#dashboard/web/ui/address-mistakes.tsx'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { FilterBar, type Values } from '#dashboard/web/ui/filter-bar.tsx'
import type { Filter } from '#dashboard/web/ui/filter-options.tsx'
import { FilterSelect } from '#dashboard/web/ui/filter-select.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { Page } from '#dashboard/web/ui/page.tsx'
import { RightsAt } from '#dashboard/web/ui/rights.tsx'
import { SearchInput } from '#dashboard/web/ui/search-input.tsx'
import type { FleetServer } from '#shared/overview/api/fleet.ts'
import { FleetSiteIdsQuery } from '#shared/sites/api/site-filters.ts'
import { HEALTH, OTHERS, PHP, SORTED_BY, STATUSES, TIER_OPTIONS, TLS } from './options.ts'
import { SitesList } from './sites-list.tsx'

const NO_FILTER: Values = Object.fromEntries(NARROWING.map((name) => [name, undefined]))

/** Every site of every server. */
export function SitesPage() {
  const raw = useSearch({ from: '/inside/sites' })
  const search = useMemo(() => readSitesSearch(raw), [raw])
  const mistakes = useMemo(() => mistakesIn(raw, FleetSiteIdsQuery), [raw])
  const navigate = useNavigate({ from: '/sites' })
  /** An entry of its own in the history, except while typing. */
  const change = (news: Values, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...news }) as SitesSearch, replace })
  const clear = () => change(NO_FILTER)
  const filters = <Filters search={search} onChange={change} />
  if (mistakes.length > 0)
    return (
      <Page title="Sites" actions={<CreateSite />}>
        {filters}
        <AddressMistakes of={mistakes} />
      </Page>
    )
  return (
    <SitesList
      search={search}
      filters={filters}
      actions={<CreateSite />}
      onChange={change}
      onClear={clear}
    />
  )
}

function CreateSite() {
  return (
    <RightsAt where="servers">
      <ButtonLink needs="operate" to="/sites/new" kind="primary" icon={<Plus />}>
        Create site
      </ButtonLink>
    </RightsAt>
  )
}

interface FiltersProps {
  search: SitesSearch
  onChange: (change: Values, replace?: boolean) => void
}

function Filters({ search, onChange }: FiltersProps) {
  const { data } = useQuery(fleetQuery)
  const wordpress = useQuery(wordpressQuery)
  const versions = (wordpress.data ?? []).map(({ version }) => version)
  const filters = [
    ...filtersOf(data?.servers ?? [], data?.counts.health ?? {}),
    wordpressFilter(versions, search.wp_version),
  ]
  return (
    <FilterBar
      page="sites"
      search={
        <SearchInput
          name="Search sites"
          placeholder="Domain, alias or system user"
          value={search.q ?? ''}
          onChange={(q, isContinued) => onChange({ q: q || undefined }, isContinued)}
          pause_ms={120}
          className="min-w-48 flex-1 sm:max-w-sm"
        />
      }
      filters={filters}
      values={{ ...search }}
      onChange={onChange}
    >
      <div className="md:hidden">
        <FilterSelect
          name="Order"
          value={search.sort}
          options={SORTED_BY}
          onChange={(sort) => onChange({ sort })}
        />
      </div>
    </FilterBar>
  )
}

/** The versions of the fleet, each with its branch, which includes all its releases. */
function wordpressFilter(versions: readonly string[], chosen = ''): Filter {
  const branches = versions.map((version) => version.split('.').slice(0, 2).join('.'))
  const selected = chosen.split(',').filter(Boolean)
  const all = [...new Set([...branches, ...versions, ...selected])]
  return {
    name: 'wp_version',
    label: 'WordPress',
    isMany: true,
    options: all.map((value) => ({ value, name: value })),
  }
}

function filtersOf(servers: readonly FleetServer[], health: Record<string, number>): Filter[] {
  const tags = [...new Set(servers.flatMap(({ tags }) => tags))].sort()
  return [
    { name: 'status', label: 'Status', options: STATUSES, isMany: true },
    {
      name: 'health',
      label: 'Health',
      isMany: true,
      options: HEALTH.map(({ value, name }) => ({
        value,
        name: `${name} (${formatNumber(health[value] ?? 0)})`,
      })),
    },
    {
      name: 'server_id',
      label: 'Server',
      options: servers.map(({ id, name }) => ({ value: String(id), name })),
    },
    { name: 'tag', label: 'Tag', options: tags.map((tag) => ({ value: tag, name: tag })) },
    { name: 'php', label: 'PHP', options: PHP, isMany: true },
    { name: 'tier', label: 'Tier', options: TIER_OPTIONS, isMany: true },
    { name: 'tls', label: 'TLS', options: TLS, isMany: true },
    ...OTHERS,
  ]
}
