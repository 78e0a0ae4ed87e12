import { expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import type { DatabaseWorld } from './database-world.ts'
import { get } from './requests.ts'
import { MINUTES, type Site } from './world.ts'

/** With the two existing sites, more than MariaDB's default connections. */
const HOSTILE = 5
/** Limit of a medium site. */
const EACH = 30
const FILE = '/etc/mysql/mariadb.conf.d/10-hosting.cnf'
const ALLOWED = 'SELECT @@GLOBAL.max_connections'

/** The effect of many hostile sites on the database of a server, and of one persistent site. */
export function crowdOfSites(
  place: () => { world: DatabaseWorld; victim: Site; evading: () => Promise<void> },
): void {
  test(
    'sites that open all their connections leave enough for the others and the agent',
    async () => {
      const { world, victim } = place()
      const answers = async ({ domain }: Site) =>
        (await get(world.host, `http://${domain}/?${crypto.randomUUID()}`)).status
      const sites = await Promise.all(
        Array.from({ length: HOSTILE }, (_, at) =>
          world.create(`hostile${at}.example.test`, 'medium'),
        ),
      )
      const needed = async () => `max_connections = ${(await world.root(ALLOWED))[0]}\n`
      const kept = async () => (await world.host.exec(['cat', FILE])).stdout
      // Sites created at the same time do not see each other.
      const raised = async () =>
        Number((await world.root(ALLOWED))[0]) >= HOSTILE * EACH + 60 &&
        (await kept()).endsWith(await needed())
      expect(await lab.poll(raised, { every_ms: 1000, timeout_ms: 3 * MINUTES })).toBe(true)
      const ends = await Promise.all(sites.map((site) => world.open(site, EACH + 5)))
      try {
        const held =
          "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER LIKE 'hostile%'"
        // PHP of a site may have used a connection just then.
        const count = Number((await world.root(held))[0])
        expect(count).toBeGreaterThanOrEqual(HOSTILE * (EACH - 1))
        expect(count).toBeLessThanOrEqual(HOSTILE * EACH)
        expect(await answers(victim)).toBe(200)
        expect(await world.change(victim, { tier: 'medium' })).toMatchObject({ status: 'ok' })
        expect(await world.change(victim, { tier: 'small' })).toMatchObject({ status: 'ok' })
        const another = await world.create('beside.example.test')
        expect(await answers(another)).toBe(200)
        const [first] = sites
        if (first) await world.remove(first)
      } finally {
        await Promise.all(ends.map((end) => end()))
      }
    },
    6 * MINUTES,
  )

  test(
    'a connection limit that is too low is raised again while the server runs',
    async () => {
      const { world } = place()
      await world.root('SET GLOBAL max_connections = 40')

      const raised = async () => Number((await world.root(ALLOWED))[0]) >= HOSTILE * EACH + 60
      expect(await lab.poll(raised, { every_ms: 1000, timeout_ms: 3 * MINUTES })).toBe(true)
    },
    5 * MINUTES,
  )

  test(
    'a session that raises its statement limit still ends at the limit of its site',
    async () => {
      const { world, victim, evading } = place()
      const runs = `SELECT COUNT(*) FROM information_schema.PROCESSLIST
        WHERE USER = '${victim.user}' AND INFO LIKE 'SELECT SLEEP(3000)%'`
      const ended = async () => (await world.root(runs))[0] === '0'
      expect(await lab.poll(ended, { every_ms: 1000, timeout_ms: 3 * MINUTES })).toBe(true)

      const log = await world.host.must(['journalctl', '--unit=hosting-agent', '--output=cat'])
      expect(log).toContain(`A statement of ${victim.domain} ran beyond the limit of its tier`)
      await evading()
    },
    5 * MINUTES,
  )
}
