import { expect, test } from 'bun:test'
import { poll, polled } from '#tests/support/lab/index.ts'
import { long } from '#tests/support/runs.ts'
import type { Attack, Tenants } from './tenants.ts'
import { MINUTES } from './world.ts'

const ROOT_LIKE = { DB_USER: 'weak', DB_PASSWORD: 'weak' }

/** A view whose function runs with the rights of its reader, and its traces. */
async function layView({ tenants, evil, victim }: Attack): Promise<void> {
  const rights = 'CREATE VIEW, CREATE ROUTINE, ALTER ROUTINE, EXECUTE'
  const own = evil.user.replaceAll('_', '\\_')
  await tenants.sql(`GRANT ${rights} ON \`${own}\`.* TO '${evil.user}'@'localhost'`)
  await tenants.sql(
    `CREATE TABLE loot (who VARCHAR(200)) ENGINE=MyISAM;
     DELIMITER ;;
     CREATE FUNCTION pwn() RETURNS TEXT SQL SECURITY INVOKER MODIFIES SQL DATA BEGIN
       DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END;
       INSERT INTO loot VALUES (CURRENT_USER());
       UPDATE \`${victim.user}\`.\`${victim.prefix}users\` SET user_url = 'http://taken.example';
       RETURN 'x';
     END;;
     DELIMITER ;
     CREATE SQL SECURITY INVOKER VIEW pwn_options AS
       SELECT 'template' AS option_name, pwn() AS option_value;`,
    evil,
  )
}

async function stolen({ tenants, evil, victim }: Attack) {
  const loot = await tenants.sql('SELECT DISTINCT who FROM loot', evil)
  const urls = await tenants.sql(
    `SELECT user_url FROM \`${victim.user}\`.\`${victim.prefix}users\` WHERE user_url LIKE '%taken%'`,
  )
  await tenants.sql('DELETE FROM loot', evil)
  return { ran_as: loot, changed: urls !== '' }
}

/** A listener at DB_HOST that records each connection. */
async function listening(tenants: Tenants, place: string, log: string) {
  const code = `$s = stream_socket_server('${place}') or exit(1); echo "ready\\n";
    while ($c = stream_socket_accept($s, 600)) { file_put_contents('${log}', "came\\n", FILE_APPEND); fclose($c); }`
  const server = tenants.host.spawn(['php', '-r', code])
  if (!(await polled(() => server.output().includes('ready')))) throw new Error(server.output())
  return server
}

export function databases(attack: Attack): void {
  test(
    "a view that runs its reader's rights gets no more than those of its own site",
    async () => {
      const { tenants, evil } = attack
      await layView(attack)

      await tenants.configured(evil, { $table_prefix: 'pwn_' }, async () => {
        await tenants.sync()
        await tenants.scan(evil)
      })

      expect(await stolen(attack)).toEqual({ ran_as: `${evil.user}@localhost`, changed: false })
    },
    5 * MINUTES,
  )

  test(
    'the same view succeeds where a site has the password of an account with all rights',
    async () => {
      const { tenants, evil } = attack
      await tenants.sql(
        "CREATE USER weak@localhost IDENTIFIED BY 'weak'; GRANT ALL PRIVILEGES ON *.* TO weak@localhost",
      )
      const values = { $table_prefix: 'pwn_', ...ROOT_LIKE }

      await tenants.configured(evil, values, () => tenants.sync())
      await tenants.sql('DROP USER weak@localhost')

      expect(await stolen(attack)).toEqual({ ran_as: 'weak@localhost', changed: true })
    },
    5 * MINUTES,
  )

  test(
    "the database of a neighbour and root's account stay closed",
    async () => {
      const { tenants, evil, victim } = attack
      const known = (await tenants.scan(evil)).inventory.plugins.map(({ active }) => active)
      expect([known.length > 0, known.includes(null)]).toEqual([true, false])
      const tries: Record<string, string>[] = [
        { DB_NAME: victim.user, $table_prefix: victim.prefix },
        { DB_NAME: 'mysql', $table_prefix: 'global_priv_' },
        { DB_NAME: victim.user, $table_prefix: victim.prefix, DB_USER: 'root', DB_PASSWORD: '' },
      ]
      for (const values of tries) {
        const { inventory } = await tenants.configured(evil, values, () => tenants.scan(evil))
        expect(inventory.plugins.map(({ active }) => active)).toEqual(known.map(() => null))
      }
    },
    5 * MINUTES,
  )

  test(
    'never connects to a database server that a site names',
    async () => {
      const { tenants, evil } = attack
      const socket = `${evil.docroot}/mysqld.sock`
      const log = '/tmp/came.log'
      const servers = [
        await listening(tenants, 'tcp://127.0.0.1:3307', log),
        await listening(tenants, `unix://${socket}`, log),
      ]
      await tenants.host.must(['chmod', '777', socket])
      const wake = await stopPhp(attack)
      for (const place of ['127.0.0.1:3307', `localhost:${socket}`]) {
        await tenants.configured(evil, { DB_HOST: place }, async () => {
          await tenants.sync()
          const { inventory } = await tenants.scan(evil)
          expect(inventory.plugins.every(({ active }) => active === null)).toBe(true)
        })
      }
      const came = async () => (await tenants.host.exec(['cat', log])).stdout
      expect(await came()).toBe('')

      await tenants.host.exec(['mariadb', '--host=127.0.0.1', '--port=3307', '-e', 'SELECT 1'])
      await tenants.host.exec(['mariadb', `--socket=${socket}`, '-e', 'SELECT 1'])
      expect(await came()).toBe('came\ncame\n')
      for (const server of servers) await server.stop('SIGKILL')
      await wake()
    },
    5 * MINUTES,
  )

  test(
    'a locked table affects only the answer of its own site',
    async () => {
      const { tenants, evil, victim } = attack
      const table = `${evil.prefix}options`
      const lock = tenants.asInBackground(evil, [
        ...[
          'mariadb',
          '--unbuffered',
          `--user=${evil.user}`,
          `--password=${evil.password}`,
          evil.user,
        ],
        ...['-e', `LOCK TABLES ${table} WRITE; SELECT 'locked'; SELECT SLEEP(300)`],
      ])
      expect(await poll(() => lock.output().includes('locked'))).toBe(true)

      const { value, bad, worst_ms } = await tenants.withHealth(async () => {
        const took = await tenants.sync()
        const { inventory } = await tenants.scan(evil)
        const other = await tenants.scan(victim)
        const made = await tenants.create('made.example.test')
        return { took, inventory, other, made }
      })

      expect(value.inventory.plugins.every(({ active }) => active === null)).toBe(true)
      expect(value.other.inventory.plugins.every(({ active }) => active !== null)).toBe(true)
      expect(value.made.user).not.toBe('')
      expect(bad).toEqual([])
      if (long) expect([value.took < 30_000, worst_ms < 5000]).toEqual([true, true])
      await lock.stop('SIGKILL')
      console.log(
        `locked table: sync ${value.took.toFixed(0)} ms, health ${worst_ms.toFixed(0)} ms`,
      )
    },
    5 * MINUTES,
  )
}

/**
 * Stops PHP of the site, which may connect anywhere and runs for visitors, jobs and health checks.
 * Returns what starts it again.
 */
async function stopPhp({
  tenants: { host },
  evil: { user },
}: Attack): Promise<() => Promise<string>> {
  const starting = [`hosting-fpm@${user}-*.socket`, `hosting-cron@${user}.timer`]
  const list = ['systemctl', 'list-units', '--plain', '--no-legend', ...starting]
  const units = (await host.must(list)).split('\n').flatMap((line) => line.split(' ')[0] || [])
  const running = [`hosting-fpm@${user}-*.service`, `hosting-cron@${user}.service`]
  await host.must(['systemctl', 'stop', ...units, ...running])
  return () => host.must(['systemctl', 'start', ...units])
}
