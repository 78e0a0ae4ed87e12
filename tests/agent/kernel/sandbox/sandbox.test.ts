import { expect, test } from 'bun:test'
import { readOnlySandboxOf } from '#agent/kernel/sandbox/sandbox.ts'

const boundFor = (docroot: string, own = false) =>
  readOnlySandboxOf('shop', { own, docroot }).filter((line) =>
    line.startsWith('BindReadOnlyPaths=/srv/'),
  )

test.each([
  ['/srv/www/shop/public', '/srv/www/shop'],
  ['/srv/www/my-shop.example_2/public', '/srv/www/my-shop.example_2'],
  ['/srv/www/shop', '/srv/www/shop'],
])('of the folders of sites, a reader of %s sees %s only', (docroot, folder) => {
  expect(boundFor(docroot)).toEqual([`BindReadOnlyPaths=${folder}`])
  expect(boundFor(docroot, true)).toEqual([`BindReadOnlyPaths=${folder}`])
})

test.each(['/var/www/html', '/srv/www', '/srv/www-data/shop', '/home/shop/srv/www/shop'])(
  'a reader of %s sees none of them',
  (docroot) => {
    expect(boundFor(docroot)).toEqual([])
  },
)
