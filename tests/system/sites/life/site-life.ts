import { afterAll, beforeAll, describe, setDefaultTimeout } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { MINUTES, type Variant, World } from '#tests/support/system/world.ts'
import { inTurn, isGate } from '#tests/support/turns.ts'
import { backsUp } from './backup.ts'
import { createsSites, provisions, registers } from './begin.ts'
import { comesBack, deletesSites } from './end.ts'
import { runsJobs } from './jobs.ts'
import { followsNoLink, servesOwnPrograms } from './links.ts'
import { logsInByToken } from './login.ts'
import { doesAsPlanned } from './plan.ts'
import { appliesTier, keepsApart, readsPassword } from './pool.ts'
import { keepsSecrets } from './secrets.ts'
import { appliesSettings } from './settings.ts'
import { sleeps } from './sleep.ts'
import { suspends } from './suspend.ts'
import { trashes } from './trash.ts'
import { hidesLogin, logsIn, resizesImages, scans } from './wordpress.ts'
import { limitsCron, switchesXmlrpc } from './xmlrpc.ts'

setDefaultTimeout(10 * MINUTES)

/** Subjects of a running site, in groups that do not need each other. */
const RUNNING = [
  [logsInByToken, switchesXmlrpc, limitsCron],
  [resizesImages, scans, runsJobs, appliesTier],
  [sleeps, suspends],
  [appliesSettings],
]

/**
 * The whole life of two WordPress sites on a fresh Debian server, through the dashboard's API and the
 * agent's executable. The tests of one variant build on each other, in this order. The gate leaves
 * out plans and backups, since other tests have those of each command, and has one group of the
 * subjects of a running site, by turns.
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
    hidesLogin(world)
    readsPassword(world)
    keepsApart(world)
    followsNoLink(world)
    servesOwnPrograms(world)
    for (const subjects of inTurn(RUNNING, 'site-life.subjects'))
      for (const subject of subjects) subject(world)
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
