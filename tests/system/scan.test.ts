// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { confined, unanswered } from '#tests/support/system/scan-configs.ts'
import { databases } from '#tests/support/system/scan-databases.ts'
import { layouts } from '#tests/support/system/scan-layouts.ts'
import { replaced } from '#tests/support/system/scan-process.ts'
import { raced } from '#tests/support/system/scan-races.ts'
import { identities, trees } from '#tests/support/system/scan-trees.ts'
import { type Attack, type Tenant, Tenants } from '#tests/support/system/tenants.ts'
import { MINUTES } from '#tests/support/system/world.ts'
import { releases } from '#tests/support/turns.ts'

/** Attacks by a site's files and tables on the agent that reads them. */
for (const suite of releases('scan')) {
  unless(lab.available()).describe(`reading hostile sites on ${suite}`, () => {
    let tenants: Tenants
    let evil: Tenant
    let victim: Tenant
    const attack: Attack = {
      get tenants() {
        return tenants
      },
      get evil() {
        return evil
      },
      get victim() {
        return victim
      },
    }

    beforeAll(async () => {
      tenants = await Tenants.start(suite)
      evil = await tenants.create('evil.example.test')
      victim = await tenants.create('victim.example.test')
    }, 10 * MINUTES)
    afterAll(() => tenants?.stop(), 5 * MINUTES)

    test('finds both sites', async () => {
      for (const site of [evil, victim])
        expect(await tenants.found(site)).toMatchObject({ framework: 'wordpress' })
      expect([evil.password.length > 8, evil.prefix !== '']).toEqual([true, true])
    })

    layouts(attack)
    confined(attack)
    databases(attack)
    identities(attack)
    unanswered(attack)
    trees(attack)
    raced(attack)
    replaced(attack)
  })
}
