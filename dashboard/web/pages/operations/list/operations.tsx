import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { activeOperationsQuery, pastOperationsQuery } from '#dashboard/web/api/operations.ts'
import { mistakesIn } from '#dashboard/web/ui/address.ts'
import { AddressMistakes } from '#dashboard/web/ui/address-mistakes.tsx'
import { Page } from '#dashboard/web/ui/page.tsx'
import { OperationsQuery, type OperationView } from '#shared/operations/api/operations.ts'
import { Bulks } from './bulks.tsx'
import { Filters } from './filters.tsx'
import { Past } from './past.tsx'
import { Running } from './running.tsx'
import { type OperationsSearch, readOperationsSearch } from './search.ts'
import { SelectionBar } from './selection-bar.tsx'
import { useSelection } from './use-selection.ts'

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
