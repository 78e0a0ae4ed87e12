import { expect, test } from 'bun:test'
import {
  forwardedPartsOf,
  renderPageCache,
  renderPageCacheZone,
} from '#agent/features/web/vhost.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { tierLimitsOn } from '#agent/kernel/site/tiers.ts'
import { shop } from '#tests/support/agent/debian.ts'

const LIMITS = tierLimitsOn('small', { cores: 4, memory: 8192 })
const caching = (page_cache: NonNullable<Site['settings']>['page_cache']): Site => ({
  ...shop,
  settings: { page_cache },
})

test('without the cache, PHP receives the complete address', () => {
  const site = caching({ enabled: false, paths: ['/a'], cookies: [] })

  expect([renderPageCacheZone(site, LIMITS), renderPageCache(site)]).toEqual(['', ''])
  expect(forwardedPartsOf(site)).toEqual({ uri: '$request_uri', query: '$query_string' })
})

test('paths match with everything below them, and cookies by the beginning of their name', () => {
  const site = caching({ enabled: true, paths: ['/members', '/a.b'], cookies: ['m.x_'] })

  const zone = renderPageCacheZone(site, LIMITS)

  expect(zone).toContain('    "~*^/members(?:/|$)" 1;\n    "~*^/a\\.b(?:/|$)" 1;\n')
  expect(zone).toContain('    "~*(?:^|;\\s*)m\\.x_[^=;]*=" 1;\n')
  const [path, cookie] = [...zone.matchAll(/^map \S+ (\$hosting_own_\w+) \{$/gm)].map(
    ([, name]) => name,
  )
  const skips = renderPageCache(site).match(/fastcgi_(?:no_cache|cache_bypass) .*/g)
  expect(skips?.every((line) => line.endsWith(` ${path} ${cookie};`))).toBe(true)
  expect(renderPageCache(site)).toContain(`$host${forwardedPartsOf(site).uri};`)
})

test('a usual site has the variables of all sites', () => {
  expect(forwardedPartsOf(shop)).toEqual({
    uri: '$hosting_asked_uri',
    query: '$hosting_asked_query',
  })
  expect(renderPageCacheZone(shop, LIMITS).split('\n')).toHaveLength(2)
})
