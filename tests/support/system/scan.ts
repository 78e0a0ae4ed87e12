import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import type { Suite } from '#tests/support/lab/suites.ts'
import { long } from '#tests/support/runs.ts'
import { unless } from '#tests/support/skip.ts'
import { confined, unanswered } from './scan-configs.ts'
import { databases } from './scan-databases.ts'
import { layouts } from './scan-layouts.ts'
import { replaced } from './scan-process.ts'
import { raced } from './scan-races.ts'
import { identities, trees } from './scan-trees.ts'
import { type Tenant, Tenants } from './tenants.ts'
import { MINUTES } from './world.ts'

export interface Attack {
  readonly tenants: Tenants
  readonly evil: Tenant
  readonly victim: Tenant
}

/**
 * Attacks by a site's files and tables on the agent that reads them. The agent's own limits,
 * independent of PHP, MariaDB and systemd, are tested on one Debian; in a long run on both.
 */
export function scanned(suite: Suite): void {
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
    if (suite === 'trixie' || long) {
      unanswered(attack)
      trees(attack)
      raced(attack)
    }
    replaced(attack)
  })
}
