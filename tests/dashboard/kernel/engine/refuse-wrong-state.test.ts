import { expect, test } from 'bun:test'
import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import { refuseWrongState } from '#dashboard/kernel/engine/refuse-wrong-state.ts'
import { RULES } from '#dashboard/operation-types.ts'
import type { OperationType } from '#shared/operation-types.ts'

const site = (status: SiteRow['status'], found = false) =>
  ({ domain: 'shop.example', status, found }) as SiteRow

test.each<[OperationType, SiteRow['status'], string]>([
  ['site.configure', 'missing', 'shop.example is not in use: its status is missing'],
  ['staging.password', 'provisioning', 'shop.example is not in use: its status is provisioning'],
  ['site.move', 'suspended', 'shop.example is suspended: resume it first'],
  ['site.create', 'active', 'The site is there already'],
  ['site.purge', 'active', 'shop.example is not in the trash'],
  [
    'site.configure',
    'trashed',
    'shop.example is in the trash: restore it or delete it permanently',
  ],
])('%s of a site that is %s is refused with the reason', (type, status, reason) => {
  expect(() => refuseWrongState(RULES[type].site, site(status))).toThrow(reason)
})

test('a site in a state of the type is accepted', () => {
  expect(() => refuseWrongState(RULES['site.configure'].site, site('active'))).not.toThrow()
})
