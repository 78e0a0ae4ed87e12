import { expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import type { DatabaseWorld } from './database-world.ts'
import { get } from './requests.ts'
import { MINUTES, type Site } from './world.ts'

/** Large enough to cut in the middle of its dump. */
const MEGABYTES = 300

/** Interruptions of the dump of a site, such as a reboot of its server. */
export function cutDump(place: () => { world: DatabaseWorld; victim: Site }): void {
  test(
    'a deletion whose dump is stopped in the middle fails, and the site keeps its rows',
    async () => {
      const { world, victim } = place()
      const { user } = victim
      await world.root(`USE ${user};
CREATE TABLE large (id INT PRIMARY KEY, text LONGTEXT);
INSERT INTO large SELECT seq, REPEAT('x', 1048576) FROM seq_1_to_${MEGABYTES};`)
      const dump = `/srv/www/.trash/${user}/database.sql`
      const written = () => world.host.exec(['test', '-s', dump]).then(({ code }) => code === 0)

      const deleted = world.remove(victim).then(String, String)
      await lab.poll(written, { every_ms: 20, timeout_ms: 3 * MINUTES })
      await world.host.must(['systemctl', 'stop', `hosting-${user}.slice`])

      expect(await deleted).toContain('The database could not be dumped (exit status')
      expect(await world.root(`SELECT COUNT(*) FROM ${user}.large`)).toEqual([String(MEGABYTES)])
      // nginx serves its site again a moment after the signal.
      const answers = () =>
        get(world.host, `http://${victim.domain}/?cut`).then(
          ({ status }) => status === 200,
          () => false,
        )
      expect(await lab.poll(answers, { every_ms: 200, timeout_ms: 3 * MINUTES })).toBe(true)
      await world.root(`DROP TABLE ${user}.large`)
    },
    5 * MINUTES,
  )
}
