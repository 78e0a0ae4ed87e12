import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Archive } from 'lucide-react'
import { coverageQuery } from '#dashboard/web/api/backups.ts'
import { mistakesIn } from '#dashboard/web/ui/address.ts'
import { AddressMistakes } from '#dashboard/web/ui/address-mistakes.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { BackupCoverageQuery } from '#shared/backups/api/backup-coverage.ts'
import { CoverageTable } from './coverage-table.tsx'
import { Filters } from './filters.tsx'
import { GoneSites } from './gone-sites.tsx'
import { Pages } from './pages.tsx'
import { Summary } from './summary.tsx'

/** Which sites have backups: the counts, one page of them, and the backups of deleted sites. */
export function SitesTab() {
  const { part: _, operation: __, ...filters } = useSearch({ from: '/inside/backups' })
  const mistakes = mistakesIn(filters, BackupCoverageQuery)
  const { data, error, refetch } = useQuery({
    ...coverageQuery(filters),
    enabled: mistakes.length === 0,
  })
  const navigate = useNavigate({ from: '/backups' })
  const change = (to: Partial<typeof filters>, replace = false) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...to }), replace })
  const { page: ___, ...narrowing } = filters
  if (mistakes.length > 0) return <AddressMistakes of={mistakes} />
  return (
    <>
      {data && <Summary counts={data.counts} onShow={(state) => change({ state })} />}
      <Filters values={narrowing} counts={data?.counts} onChange={change} />
      <Card flush>
        <QueryState of={{ data, error, refetch }} rows={6} flush />
        {data && data.sites.length > 0 && <CoverageTable sites={data.sites} />}
        {data && data.sites.length === 0 && (
          <Empty icon={<Archive />} title={data.counts.sites === 0 ? 'No site yet' : 'No match'}>
            {data.counts.sites === 0
              ? 'Sites that Hosting Control manages are backed up.'
              : 'No site matches the filters.'}
          </Empty>
        )}
        {data && <Pages {...data} onPage={(page) => change({ page })} />}
      </Card>
      {data && data.gone.length > 0 && <GoneSites gone={data.gone} />}
    </>
  )
}
