import { refused, type SceneAttack, succeeded } from '#agent/features/isolation/attack.ts'
import { runOwnSql, withRoutines } from '#agent/features/isolation/own-sql.ts'
import {
  readAsSite,
  requestScript,
  type Scene,
  writeAsSite,
} from '#agent/features/isolation/scene.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import type { Inventory } from '#shared/kernel/inventory.ts'

/** The maximum duration of a scan that does not wait for the site, locked for 15 seconds. */
const MAX_SECONDS = 8
const LOCK_MS = 30_000
const POLL_MS = 100
/** The maximum time for which a scan may block the agent's other work. */
const MAX_BLOCKED_MS = 200
const TRIES = 5
const FOLDERS = 20_000
const CONFIG = 'public/wp-config.php'

/** Attacks on the agent while it reads files and tables of a site. */
export const SCAN_ATTACKS = {
  'scan.rights': {
    severity: 'critical',
    title: 'Have the agent run a function through a view that it scans',
    meaning: 'The site becomes root of MariaDB.',
    /** Records whose rights the function runs with. The site may create it, as some sites may. */
    attempt(scene) {
      const { host, attacker } = scene
      return withRoutines(host, attacker, async () => {
        await runOwnSql(host, attacker, PLANTED)
        try {
          await scanWithConfig(scene, (text) =>
            text.replace(/^\$table_prefix = .*$/m, "$table_prefix = 'isolation_';"),
          )
          const rows = await runOwnSql(host, attacker, ['SELECT DISTINCT who FROM isolation_seen'])
          const others = rows.filter((who) => !who.startsWith(`${attacker.user}@`))
          return others.length > 0 ? succeeded(`it ran as ${others.join(', ')}`) : refused()
        } finally {
          await runOwnSql(host, attacker, REMOVED)
        }
      })
    },
  },
  'scan.database': {
    severity: 'high',
    title: 'Have the agent scan the database of the neighbour',
    meaning: 'The site reads data of its neighbour from what the agent reports.',
    /** Uses a plugin, since only the database knows whether it is active. */
    async attempt(scene) {
      const { attacker, neighbour, about } = scene
      const found = await scanWithConfig(scene, (text) =>
        text
          .replace(`'DB_NAME', '${attacker.user}'`, `'DB_NAME', '${neighbour.user}'`)
          .replace(/^\$table_prefix = .*$/m, `$table_prefix = '${about.prefix}';`),
      )
      const read = [...found.plugins, ...found.themes].some(({ active }) => active !== null)
      return read ? succeeded('the scan returned what is active at the neighbour') : refused()
    },
  },
  'scan.locks': {
    severity: 'high',
    title: 'Block the scan of the agent with locked tables',
    meaning: 'One site stops the management of the server.',
    async attempt(scene) {
      const { host, attacker } = scene
      const locked = requestScript(scene, attacker, 'lock').catch(() => undefined)
      const end = host.clock.elapsed() + LOCK_MS
      while ((await readAsSite(host, attacker, 'tmp/locked')) === '') {
        if (host.clock.elapsed() > end) throw new Error('the tables were not locked')
        await host.clock.sleep(POLL_MS)
      }
      const start = host.clock.elapsed()
      await scene.scan(attacker.domain).catch(() => undefined)
      const seconds = (host.clock.elapsed() - start) / 1000
      await locked
      return seconds > MAX_SECONDS ? succeeded(`a scan took ${Math.round(seconds)} s`) : refused()
    },
  },
  'scan.folders': {
    severity: 'medium',
    title: 'Block the agent with 20,000 folders below its themes',
    meaning: 'One site slows down the management of the server.',
    /** Takes the shortest of several attempts: a busy server can delay the agent too. */
    async attempt(scene) {
      const { attacker } = scene
      const made = Number(await requestScript(scene, attacker, 'folders'))
      if (made < FOLDERS / 2) return refused(`the site could make ${made} folders and no more`)
      let best = Number.POSITIVE_INFINITY
      for (let left = TRIES; left > 0 && best > MAX_BLOCKED_MS; left--) {
        best = Math.min(best, await blockedMs(scene, () => scene.scan(attacker.domain)))
      }
      const observation = `${made} folders, the agent was blocked for ${Math.round(best)} ms`
      return best > MAX_BLOCKED_MS ? succeeded(observation) : refused(observation)
    },
  },
} as const satisfies Record<string, SceneAttack>

const PLANTED = [
  'CREATE TABLE isolation_seen (who VARCHAR(200))',
  `CREATE FUNCTION isolation_who() RETURNS TEXT SQL SECURITY INVOKER MODIFIES SQL DATA
   BEGIN INSERT INTO isolation_seen VALUES (CURRENT_USER()); RETURN 'x'; END`,
  `CREATE SQL SECURITY INVOKER VIEW isolation_options AS
   SELECT 'template' AS option_name, isolation_who() AS option_value`,
]
const REMOVED = [
  'DROP VIEW IF EXISTS isolation_options',
  'DROP FUNCTION IF EXISTS isolation_who',
  'DROP TABLE IF EXISTS isolation_seen',
]

/** Returns the longest time in ms for which the work blocked everything else in this process. */
async function blockedMs({ host: { clock } }: Scene, work: () => Promise<unknown>) {
  const state = { longest: 0, running: true }
  const watch = async () => {
    while (state.running) {
      const before = clock.elapsed()
      await clock.sleep(10)
      state.longest = Math.max(state.longest, clock.elapsed() - before - 10)
    }
  }
  const watching = watch()
  await work().catch(() => undefined)
  state.running = false
  await watching
  return state.longest
}

/** Scans the attacker while its wp-config.php changes. */
async function scanWithConfig(scene: Scene, change: (text: string) => string): Promise<Inventory> {
  const { host, attacker } = scene
  const before = await readAsSite(host, attacker, CONFIG)
  const after = change(before)
  if (after === before) throw new Error(`${docrootOf(attacker.user)}/wp-config.php was not changed`)
  await writeAsSite(host, attacker, CONFIG, after)
  try {
    return await scene.scan(attacker.domain)
  } finally {
    await writeAsSite(host, attacker, CONFIG, before)
  }
}
