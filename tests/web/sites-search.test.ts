import { expect, test } from 'bun:test'
import { filterOf, readSitesSearch } from '#dashboard/web/pages/sites/search.ts'

test('an address tells which sites are shown, in the types that the router reads', () => {
  const search = readSitesSearch({
    q: 2024,
    server_id: 3,
    status: 'failed,missing',
    php: 8.2,
    expiring: 'true',
    updates: false,
    sort: 'updates',
    order: 'desc',
  })

  expect(filterOf(search)).toEqual({
    q: '2024',
    server_id: '3',
    status: 'failed,missing',
    php: '8.2',
    expiring: 'true',
    updates: 'false',
    sort: 'updates',
    order: 'desc',
  })
})

test('what is not understood is left out, and the trash is not shown', () => {
  const search = readSitesSearch({
    q: '',
    server_id: '1 or 1',
    status: 'active,nonsense',
    tier: 'huge',
    php: 'latest',
    sort: 'domain',
    order: 'asc',
    more: 'than is known',
  })

  expect(search).toEqual({})
  expect(filterOf(search)).toEqual({
    status: 'provisioning,active,failed,suspended,deleting,missing',
  })
})
