import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useMemo } from 'react'
import { FleetSiteIdsQuery } from '#shared/api/fleet.ts'
import { AddressMistakes } from '../../ui/address-mistakes.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { mistakesIn } from '../../ui/mistakes-in.ts'
import { Page } from '../../ui/page.tsx'
import { Filters } from './filters.tsx'
import { type Change, NARROWING, readSitesSearch, type SitesSearch } from './search.ts'
import { SitesList } from './sites-list.tsx'

const NO_FILTER: Change = Object.fromEntries(NARROWING.map((name) => [name, undefined]))

/** Every site of every server. */
export function SitesPage() {
  const raw: Record<string, unknown> = useSearch({ from: '/inside/sites' })
  const search = useMemo(() => readSitesSearch(raw), [raw])
  const mistakes = useMemo(() => mistakesIn(raw, FleetSiteIdsQuery), [raw])
  const navigate = useNavigate({ from: '/sites' })
  /** A step of its own in the history, unless somebody is still typing. */
  const change = (news: Change, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...news }) as SitesSearch, replace })
  const clear = () => change(NO_FILTER)
  const filters = <Filters search={search} onChange={change} onClear={clear} />
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
    <ButtonLink to="/sites/new" kind="primary" icon={<Plus aria-hidden />}>
      Create site
    </ButtonLink>
  )
}
