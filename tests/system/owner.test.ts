// tier: full
import { afterAll, beforeAll } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { countsClicks } from '#tests/support/system/owner/advertising.ts'
import { isHealthy } from '#tests/support/system/owner/health.ts'
import { galleries, uploads } from '#tests/support/system/owner/media.ts'
import { Owner } from '#tests/support/system/owner/owner.ts'
import { installsPlugin } from '#tests/support/system/owner/plugin.ts'
import { resetsPassword } from '#tests/support/system/owner/reset.ts'
import { sells } from '#tests/support/system/owner/shop.ts'
import { serves } from '#tests/support/system/owner/writers.ts'
import { MINUTES } from '#tests/support/system/world.ts'
import { releases } from '#tests/support/turns.ts'

/** First steps of the owner of a new site, in a real browser; the tests build on each other. */
for (const suite of releases('owner')) {
  unless(lab.available()).describe(`the first hour of an owner on ${suite}`, () => {
    let owner: Owner
    beforeAll(async () => {
      owner = await Owner.start(suite)
    }, 10 * MINUTES)
    afterAll(() => owner?.stop(), 5 * MINUTES)

    installsPlugin(() => owner)
    uploads(() => owner)
    galleries(() => owner)
    sells(() => owner)
    countsClicks(() => owner)
    isHealthy(() => owner)
    resetsPassword(() => owner)
    serves(() => owner)
  })
}
