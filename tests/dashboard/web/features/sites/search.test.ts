import { expect, test } from 'bun:test'
import { filterOf, readSitesSearch } from '#dashboard/web/features/sites/search.ts'
import { mistakesIn } from '#dashboard/web/ui/address.ts'
import { SITE_STATUSES } from '#shared/kernel/values.ts'
import { FleetSiteIdsQuery } from '#shared/sites/api/site-filters.ts'

test('the request of the API has the values of the address', () => {
  const raw = {
    q: '2024',
    server_id: '3',
    status: 'failed,missing',
    php: '8.0',
    expiring: 'true',
    updates: 'false',
    sort: 'updates',
    order: 'desc',
  }

  expect(mistakesIn(raw, FleetSiteIdsQuery)).toEqual([])
  expect(filterOf(readSitesSearch(raw))).toEqual(raw)
})

test('without a status, the trash is not shown', () => {
  expect(filterOf(readSitesSearch({ q: '' }))).toEqual({
    status: SITE_STATUSES.filter((status) => status !== 'trashed').join(','),
  })
})

test('names values that the API would refuse and unknown names', () => {
  const raw = { status: 'active,nonsense', tier: 'huge', php: '8', server_id: '0', more: '1' }
  const wrong = mistakesIn(raw, FleetSiteIdsQuery)

  expect(wrong.map(({ name, rule }) => `${name}: ${rule}`)).toEqual([
    `status: Must be one or more of ${SITE_STATUSES.join(', ')}`,
    'tier: Must be one or more of small, medium, large',
    'php: Must be one or more PHP versions such as 8.2,8.3',
    'server_id: Must be an id',
    `more: No filter has this name. Known: ${Object.keys(FleetSiteIdsQuery.shape).join(', ')}`,
  ])
})
