import { expect, test } from 'bun:test'
import { debugVariables, poolSettings } from '#agent/kernel/sandbox/debug.ts'
import { copy } from '#tests/support/agent/staging.ts'

const debug = { until: '2026-03-01T09:30:00.500Z' }

test.each([
  [{}, []],
  [{ debug }, ['auto_prepend_file=/usr/local/lib/hosting/debug.php']],
  [{ staging: copy.staging }, ['auto_prepend_file=/usr/local/lib/hosting/staging.php']],
  [
    { staging: copy.staging, debug },
    ['auto_prepend_file=/usr/local/lib/hosting/staging-debug.php'],
  ],
])('%j runs the files of root that it needs: %j', (site, settings) => {
  expect(poolSettings(site)).toEqual(settings)
})

test('the end is in whole seconds, and the log is outside of the document root', () => {
  expect(debugVariables({ user: 'shop' })).toEqual({})
  expect(debugVariables({ user: 'shop', debug })).toEqual({
    HOSTING_DEBUG_UNTIL: '1772357400',
    HOSTING_DEBUG_LOG: '/srv/www/shop/logs/wordpress-debug.log',
  })
})
