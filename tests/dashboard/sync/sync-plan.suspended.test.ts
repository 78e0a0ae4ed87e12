import { expect, test } from 'bun:test'
import type { KnownSite } from '#dashboard/sync/queries.ts'
import { planSync } from '#dashboard/sync/sync-plan.ts'
import type { FoundSite } from '#shared/found-site.ts'
import { found } from '#tests/support/dashboard/sites.ts'

const domain = 'shop.example'

async function after(status: KnownSite['status'], more: Partial<FoundSite>) {
  const site = found(domain, more)
  const record = { id: 1, domain, apex: domain, status, status_reason: 'asked for' } as KnownSite
  const { updates } = await planSync([record], { sites: new Map([[domain, site]]), whole: true })
  return { status, status_reason: 'asked for', ...updates[0]?.values }
}

test.each([
  { was: 'active', suspended: true, is: 'suspended' },
  { was: 'missing', suspended: true, is: 'suspended' },
  { was: 'trashed', suspended: true, is: 'suspended' },
  { was: 'suspended', suspended: undefined, is: 'active' },
] as const)('a site that was $was is $is if its server says so', async ({ was, suspended, is }) => {
  expect(await after(was, suspended ? { suspended } : {})).toMatchObject({
    status: is,
    status_reason: '',
  })
})

test.each(['active', 'suspended'] as const)(
  'a site that is still %s keeps its reason',
  async (was) => {
    expect(await after(was, was === 'suspended' ? { suspended: true } : {})).toMatchObject({
      status: was,
      status_reason: 'asked for',
    })
  },
)
