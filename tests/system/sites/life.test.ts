// tier: core
import { suites } from '#tests/support/lab/suites.ts'
import { releases } from '#tests/support/turns.ts'
import { siteLife } from '#tests/system/sites/life/site-life.ts'

for (const suite of releases('site-life')) {
  const { php } = suites[suite]
  siteLife({ name: suite, suite, init: 'systemd', php, image: 'packaged' })
}
