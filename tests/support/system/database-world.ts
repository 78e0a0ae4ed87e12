import type { Host } from '#tests/support/lab/index.ts'
import * as lab from '#tests/support/lab/index.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'
import { type Answer, endOf } from './dashboard.ts'
import { startEnrolled } from './enrolled.ts'
import type { Site } from './world.ts'

export type DatabaseWorld = Awaited<ReturnType<typeof databaseWorld>>

const OTHER_RIGHTS =
  'SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX, ALTER, REFERENCES, CREATE TEMPORARY TABLES, LOCK TABLES, CREATE VIEW, SHOW VIEW, TRIGGER, CREATE ROUTINE, ALTER ROUTINE, EXECUTE, EVENT'
const BATCH = ['--batch', '--skip-column-names']

/** A server with sites, and the database actions of an attacker, an owner and root. */
export async function databaseWorld(suite: Suite) {
  const world = await startEnrolled(suite)
  const { host, dashboard, path } = world
  const ended = async (answer: Answer) => (await endOf(dashboard, answer)).data
  const at = ({ id }: Site, below = '') => path(`/sites/${id}${below}`)

  const root = async (sql: string) =>
    lines(await host.must(['mariadb', ...BATCH], { input: sql.endsWith(';') ? sql : `${sql};` }))
  const password = async (site: Site) =>
    String((await dashboard.call('POST', at(site, '/db-password'))).body.password)

  /** A client that logs in as PHP does. */
  const attempt = async (site: Site, sql: string) => {
    const env = { MYSQL_PWD: await password(site) }
    const argv = ['mariadb', '--no-defaults', `--user=${site.user}`, ...BATCH, site.user]
    return host.exec(argv, { input: `${sql};`, env, timeout_ms: 180_000 })
  }
  const background = async (site: Site, sql: string, count: number) => {
    const secret = await password(site)
    const argv = ['mariadb', '--no-defaults', `--user=${site.user}`, `--execute=${sql}`, site.user]
    const loop = `for i in $(seq ${count}); do "$@" & done; wait`
    const started = host.spawn(['bash', '-c', loop, 'bash', ...argv], { MYSQL_PWD: secret })
    await seen(host, site, sql)
    return async () => {
      await started.stop('SIGKILL')
      // MariaDB notices only when the statement ends.
      await root(`KILL USER '${site.user}'@localhost`)
    }
  }

  return {
    host,
    stop: () => world.stop(),
    root,
    attempt,
    accounts: (user: string) => root(`SELECT User FROM mysql.global_priv WHERE User = '${user}'`),
    /** The error number of MariaDB; 0: the statement succeeded. */
    async errorOf(site: Site, sql: string): Promise<number> {
      const { code, stderr } = await attempt(site, sql)
      return code === 0 ? 0 : Number(/^ERROR (\d+)/m.exec(stderr)?.[1] ?? -1)
    },
    async create(domain: string, tier = 'small'): Promise<Site> {
      const body = { domain, tier, php: suites[suite].php, tls: 'none' }
      const created = await dashboard.call('POST', path('/sites'), body)
      const done = await ended(created)
      if (done?.status !== 'ok') throw new Error(JSON.stringify(done))
      await dashboard.stream('POST', path('/sync'))
      const { id } = created.body.site as Site
      return (await dashboard.call('GET', path(`/sites/${id}`))).body.site as Site
    },
    async remove(site: Site): Promise<void> {
      const done = await ended(await dashboard.call('DELETE', at(site)))
      if (done?.status !== 'ok') throw new Error(JSON.stringify(done))
    },
    /** The log lines of the deletion. */
    async removeLogged(site: Site): Promise<string[]> {
      const answer = await dashboard.call('DELETE', at(site))
      const done = await ended(answer)
      if (done?.status !== 'ok') throw new Error(JSON.stringify(done))
      const id = answer.headers.get('operation-id')
      const events = await dashboard.stream('GET', `/api/operations/${id}/events`)
      return events.flatMap(({ event, data }) => (event === 'log' ? [String(data.message)] : []))
    },
    restore: async (site: Site) =>
      (await ended(await dashboard.call('POST', at(site, '/restore')))) ?? {},
    change: async (site: Site, body: object) =>
      (await ended(await dashboard.call('PATCH', at(site), body))) ?? {},
    /** Idle connections; as many as MariaDB allows. */
    open: (site: Site, count: number) => background(site, 'SELECT SLEEP(600)', count),
    lock: (site: Site, table: string) =>
      background(site, `LOCK TABLES ${table} WRITE; SELECT SLEEP(601)`, 1),
    /** One endless statement, in a session that has lifted its limit. */
    evade: (site: Site) => background(site, 'SET max_statement_time = 0; SELECT SLEEP(3000)', 1),
    /** The account is changed by hand. */
    async otherRights({ user }: Site): Promise<void> {
      const hash = await hashOf(user)
      await root(`CREATE OR REPLACE USER '${user}'@localhost IDENTIFIED BY PASSWORD '${hash}';
GRANT ${OTHER_RIGHTS} ON ${user}.* TO '${user}'@localhost;`)
    },
  }

  async function hashOf(user: string): Promise<string> {
    const where = `User = '${user}' AND Host = 'localhost'`
    const field = "JSON_VALUE(Priv, '$.authentication_string')"
    return (await root(`SELECT ${field} FROM mysql.global_priv WHERE ${where}`)).join('')
  }
}

/** Waits until a statement runs in a steady number. */
async function seen(host: Host, { user }: Site, sql: string): Promise<void> {
  const sleep = /SLEEP\(\d+\)/.exec(sql)?.[0]
  const where = `USER = '${user}' AND INFO LIKE 'SELECT ${sleep}%'`
  const input = `SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ${where};`
  let before = '0\n'
  await lab.poll(
    async () => {
      const now = await host.must(['mariadb', ...BATCH], { input })
      const isSteady = now !== '0\n' && now === before
      before = now
      return isSteady
    },
    { every_ms: 500, awaited: `${sql} runs` },
  )
}

const lines = (text: string) => text.split('\n').filter(Boolean)
