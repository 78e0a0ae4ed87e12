import { useQuery } from '@tanstack/react-query'
import { siteDatabaseQuery } from '#dashboard/web/api/site-database.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { OptionsCard } from './options-card.tsx'
import { QueriesCard } from './query-times-card.tsx'
import { TablesCard } from './tables-card.tsx'
import { UsersCard } from './users-card.tsx'

/** Who can log in to the database of a managed site, and what it holds. */
export function DatabaseReadings({ site }: { site: Site }) {
  const { data, error, refetch } = useQuery(siteDatabaseQuery(site))
  return (
    <>
      <UsersCard site={site} />
      <TablesCard site={site} of={{ data, error, refetch }} />
      {data && <OptionsCard options={data.options} />}
      {data && <QueriesCard queries={data.queries} />}
    </>
  )
}
