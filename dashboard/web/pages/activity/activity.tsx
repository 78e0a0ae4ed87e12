import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Activity } from 'lucide-react'
import { activityQuery } from '#dashboard/web/api/activity.ts'
import { mistakesIn } from '#dashboard/web/ui/address.ts'
import { AddressMistakes } from '#dashboard/web/ui/address-mistakes.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { Pager } from '#dashboard/web/ui/pager.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { ActivityQuery } from '#shared/kernel/api/activity.ts'
import { Entries } from './entries.tsx'
import { Filters } from './filters.tsx'
import { type ActivitySearch, readActivitySearch } from './search.ts'

/** Every change and every login. */
export function ActivityPage() {
  const raw = useSearch({ from: '/inside/activity' })
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
