import { afterAll, beforeAll } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import type { Suite } from '#tests/support/lab/suites.ts'
import { long } from '#tests/support/runs.ts'
import { unless } from '#tests/support/skip.ts'
import { MINUTES } from '#tests/support/system/world.ts'
import { countsClicks } from './advertising.ts'
import { isHealthy } from './health.ts'
import { galleries, uploads } from './media.ts'
import { Owner } from './owner.ts'
import { installsPlugin } from './plugin.ts'
import { resetsPassword } from './reset.ts'
import { sells } from './shop.ts'
import { serves } from './writers.ts'

/**
 * First steps of the owner of a new site, in a real browser; the tests build on each other. Work of
 * WordPress and the browser is tested on one Debian; in a long run on both.
 */
export function firstHour(suite: Suite): void {
  const whole = suite === 'trixie' || long
  unless(lab.available()).describe(`the first hour of an owner on ${suite}`, () => {
    let owner: Owner
    beforeAll(async () => {
      owner = await Owner.start(suite)
    }, 10 * MINUTES)
    afterAll(() => owner?.stop(), 5 * MINUTES)

    installsPlugin(() => owner)
    if (whole) {
      uploads(() => owner)
      galleries(() => owner)
      sells(() => owner)
    }
    countsClicks(() => owner)
    isHealthy(() => owner)
    if (whole) resetsPassword(() => owner)
    serves(() => owner)
  })
}
