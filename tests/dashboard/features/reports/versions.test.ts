import { describe, expect, test } from 'bun:test'
import { changesBetween, isNewer, versionsOf } from '#dashboard/features/reports/versions.ts'
import type { Inventory } from '#shared/kernel/inventory.ts'

const extension = (slug: string, version: string, name = slug) => ({
  slug,
  name,
  version,
  active: true,
  update: null,
})

const inventory = (plugins: [slug: string, version: string, name?: string][]): Inventory => ({
  wp_version: '7.0',
  plugins: plugins.map(([slug, version, name]) => extension(slug, version, name)),
  themes: [extension('storefront', '4.6')],
  core_update: null,
  updates: { plugins: 0, themes: 0, core: false },
})

test('lists what has another version, and neither what was added nor what was removed', () => {
  const before = versionsOf(
    '7.0',
    inventory([
      ['woocommerce', '10.4'],
      ['old', '1'],
      ['same', '2'],
    ]),
  )
  const after = inventory([
    ['woocommerce', '10.5', 'WooCommerce'],
    ['new', '1'],
    ['same', '2'],
  ])

  expect(changesBetween(before, '7.0.1', after)).toEqual([
    { kind: 'core', name: 'WordPress', from: '7.0', to: '7.0.1' },
    { kind: 'plugin', name: 'WooCommerce', from: '10.4', to: '10.5' },
  ])
})

test('knows no version from a name that every object has, and none from an unknown version', () => {
  const before = versionsOf('7.0', inventory([['empty', '']]))
  const after = inventory([
    ['constructor', '1'],
    ['empty', '2'],
  ])

  expect(changesBetween(before, '', after)).toEqual([])
})

describe('a version', () => {
  test.each([
    ['10.10', '10.9'],
    ['1.2.1', '1.2'],
    ['2', '1.99.99'],
    ['7.0', '7.0-RC2'],
    ['7.0-RC10', '7.0-RC2'],
    ['v2.1', 'v2.0'],
  ])('%s is newer than %s', (newer, older) => {
    expect([isNewer(newer, older), isNewer(older, newer)]).toEqual([true, false])
  })

  test('is not newer than itself', () => {
    expect([isNewer('1.2', '1.2.0'), isNewer('7.0-RC1', '7.0-RC1')]).toEqual([false, false])
  })
})
