import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useMemo } from 'react'
import {
  NARROWING,
  readSitesSearch,
  type SitesSearch,
} from '#dashboard/web/features/sites/search.ts'
import { mistakesIn } from '#dashboard/web/ui/address.ts'
import { AddressMistakes } from '#dashboard/web/ui/address-mistakes.tsx'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import type { Values } from '#dashboard/web/ui/filter-bar.tsx'
import { Page } from '#dashboard/web/ui/page.tsx'
import { FleetSiteIdsQuery } from '#shared/sites/api/site-filters.ts'
import { Filters } from './filters.tsx'
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
    <ButtonLink to="/sites/new" kind="primary" icon={<Plus />}>
      Create site
    </ButtonLink>
  )
}
