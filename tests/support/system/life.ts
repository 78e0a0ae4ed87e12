import { afterAll, beforeAll, describe } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { isGate } from '#tests/support/turns.ts'
import { backsUp } from './life-backup.ts'
import { createsSites, provisions, registers } from './life-begin.ts'
import { comesBack, deletesSites } from './life-end.ts'
import { runsJobs } from './life-jobs.ts'
import { followsNoLink, servesOwnPrograms } from './life-links.ts'
import { logsInByToken } from './life-login.ts'
import { doesAsPlanned } from './life-plan.ts'
import { appliesTier, keepsApart, readsPassword } from './life-pool.ts'
import { keepsSecrets } from './life-secrets.ts'
import { appliesSettings } from './life-settings.ts'
import { sleeps } from './life-sleep.ts'
import { suspends } from './life-suspend.ts'
import { trashes } from './life-trash.ts'
import { hidesLogin, logsIn, resizesImages, scans } from './life-wordpress.ts'
import { limitsCron, switchesXmlrpc } from './life-xmlrpc.ts'
import { MINUTES, type Variant, World } from './world.ts'

/**
 * The whole life of two WordPress sites on a fresh Debian server, through the dashboard's API and the
 * agent's executable. The tests of one variant build on each other, in this order. The gate leaves
 * out plans and backups: other tests have those of each command.
 */
export function siteLife(variant: Variant): void {
  const reason = lab.available()
  const title = reason ? `${variant.name} [skip: ${reason}]` : variant.name
  describe.skipIf(reason !== undefined)(title, () => {
    const world = new World(variant)
    beforeAll(() => world.start(), 5 * MINUTES)
    afterAll(() => world.stop(), 5 * MINUTES)

    registers(world)
    provisions(world)
    createsSites(world)
    logsIn(world)
    logsInByToken(world)
    hidesLogin(world)
    resizesImages(world)
    scans(world)
    runsJobs(world)
    readsPassword(world)
    appliesTier(world)
    keepsApart(world)
    followsNoLink(world)
    servesOwnPrograms(world)
    sleeps(world)
    switchesXmlrpc(world)
    limitsCron(world)
    suspends(world)
    appliesSettings(world)
    trashes(world)
    if (!isGate) {
      backsUp(world)
      doesAsPlanned(world)
    }
    keepsSecrets(world)
    comesBack(world)
    deletesSites(world)
  })
}
