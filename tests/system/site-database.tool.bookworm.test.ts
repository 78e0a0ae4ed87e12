// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { suites } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import { addAdminerSource } from '#tests/support/system/adminer-source.ts'
import {
  type SiteDatabaseWorld,
  startSiteDatabase,
} from '#tests/support/system/site-database-world.ts'
import { addTables, openTool, saveRow } from '#tests/support/system/tool-visit.ts'
import { MINUTES } from '#tests/support/system/world.ts'

unless(lab.available()).describe('Adminer on Debian 12', () => {
  let world: SiteDatabaseWorld

  beforeAll(async () => {
    const prepare = (host: lab.Host) => addAdminerSource(host, 'bookworm')
    world = await startSiteDatabase('bookworm', suites.bookworm.php, prepare)
    await addTables(world)
  }, 10 * MINUTES)
  afterAll(() => world?.stop(), 5 * MINUTES)

  test(
    'shows and changes the tables of one site only, with the version of this Debian',
    async () => {
      const tool = await openTool(world, 'write')
      const { status, text } = await tool.visit('')

      expect([status, text.includes('prices'), text.includes('neighbours')]).toEqual([
        200,
        true,
        false,
      ])
      expect(await saveRow(world, tool, 'second')).toEqual(['second'])
      const query = `SELECT * FROM \`${world.other.user}\`.neighbours`
      expect((await tool.submit('?sql=', { query, limit: '' })).text).toMatch(/command denied/)
    },
    3 * MINUTES,
  )
})
