import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Activity, ArrowLeft, ArrowRight } from 'lucide-react'
import { activityQuery } from '#dashboard/web/api/activity.ts'
import { AddressMistakes } from '#dashboard/web/ui/address-mistakes.tsx'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { mistakesIn } from '#dashboard/web/ui/mistakes-in.ts'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { ActivityQuery } from '#shared/api/activity.ts'
import { Entries } from './entries.tsx'
import { Filters } from './filters.tsx'
import { type ActivitySearch, readActivitySearch } from './search.ts'

/** Every change and every login. */
export function ActivityPage() {
  const raw: Record<string, unknown> = useSearch({ from: '/inside/activity' })
  const search = readActivitySearch(raw)
  const mistakes = mistakesIn(raw, ActivityQuery)
  return (
    <Page title="Activity" about="Who changed what and when, and every login.">
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
        <Empty icon={<Activity />} title="Nothing here">
          No matching entries. Old entries are removed after a while.
        </Empty>
      )}
      {data && data.activities.length > 0 && <Entries activities={data.activities} />}
      {data && <Pages search={search} total={data.total} older={data.older} />}
    </Card>
  )
}

interface PagesProps {
  search: ActivitySearch
  total: number
  older: string | undefined
}

function Pages({ search, total, older }: PagesProps) {
  return (
    <nav aria-label="Pages" className="flex items-center gap-2 border-t border-line p-3">
      <span className="flex-1 pl-1 text-xs text-muted tabular-nums">
        {formatNumber(total)} {search.before === undefined ? 'entries' : 'entries from here'}
      </span>
      {search.before !== undefined && (
        <ButtonLink to="/activity" search={{ ...search, before: undefined }} icon={<ArrowLeft />}>
          Newest
        </ButtonLink>
      )}
      {older !== undefined && (
        <ButtonLink to="/activity" search={{ ...search, before: older }}>
          Older
          <ArrowRight />
        </ButtonLink>
      )}
    </nav>
  )
}
