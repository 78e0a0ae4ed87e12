// tier: full
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { type DatabaseWorld, databaseWorld } from '#tests/support/system/database-world.ts'
import { get } from '#tests/support/system/requests.ts'
import { MINUTES, type Site } from '#tests/support/system/world.ts'
import { releases } from '#tests/support/turns.ts'

setDefaultTimeout(6 * MINUTES)

/** With the two existing sites, more than MariaDB's default connections. */
const HOSTILE = 5
/** Limit of a medium site. */
const EACH = 30
const FILE = '/etc/mysql/mariadb.conf.d/10-hosting.cnf'
const ALLOWED = 'SELECT @@GLOBAL.max_connections'

/** The effect of many hostile sites on the database of a server, and of one persistent site. */
function crowdOfSites(
  place: () => { world: DatabaseWorld; victim: Site; evading: () => Promise<void> },
): void {
  test('sites that open all their connections leave enough for the others and the agent', async () => {
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
      const held = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER LIKE 'hostile%'"
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
  })

  test('a connection limit that is too low is raised again while the server runs', async () => {
    const { world } = place()
    await world.root('SET GLOBAL max_connections = 40')

    const raised = async () => Number((await world.root(ALLOWED))[0]) >= HOSTILE * EACH + 60
    expect(await lab.poll(raised, { every_ms: 1000, timeout_ms: 3 * MINUTES })).toBe(true)
  })

  test('a session that raises its statement limit still ends at the limit of its site', async () => {
    const { world, victim, evading } = place()
    const runs = `SELECT COUNT(*) FROM information_schema.PROCESSLIST
        WHERE USER = '${victim.user}' AND INFO LIKE 'SELECT SLEEP(3000)%'`
    const ended = async () => (await world.root(runs))[0] === '0'
    expect(await lab.poll(ended, { every_ms: 1000, timeout_ms: 3 * MINUTES })).toBe(true)

    const log = await world.host.must(['journalctl', '--unit=hosting-agent', '--output=cat'])
    expect(log).toContain(`A statement of ${victim.domain} ran beyond the limit of its tier`)
    await evading()
  })
}

/** Large enough to cut in the middle of its dump. */
const MEGABYTES = 300

/** Interruptions of the dump of a site, such as a reboot of its server. */
function cutDump(place: () => { world: DatabaseWorld; victim: Site }): void {
  test('a deletion whose dump is stopped in the middle fails, and the site keeps its rows', async () => {
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
  })
}

/** Ends a statement for the client only: the server reads the text after the dashes as a comment. */
const COMMENT = '--\u0001;; '
const INTRUDER = `CREATE OR REPLACE USER bd@localhost IDENTIFIED BY 'bd';; GRANT ALL PRIVILEGES ON *.* TO bd@localhost WITH GRANT OPTION;; SELECT 1
 + 1`
const FUNCTION = `CREATE FUNCTION zz() RETURNS INT RETURN 1 ${COMMENT}${INTRUDER}`
const LOOT = '/tmp/hosting-loot'

/** Contents of a manipulated dump, and why it is refused. */
const MORE =
  /^The dump contains a view, routine, trigger, event or account statement at line \d+; only tables are imported$/
const NOT_SQL =
  /^MariaDB did not import the dump \((ERROR 1064 \(42000\) at line \d+|exit status 1)\)$/
const PLANTED: [string, string, RegExp][] = [
  ['a function that ends early for the client', `DELIMITER ;;\n${FUNCTION};;\nDELIMITER ;\n`, MORE],
  ['an account', "CREATE USER bd@localhost IDENTIFIED BY 'bd';\n", MORE],
  ['rights', 'GRANT ALL PRIVILEGES ON *.* TO bd@localhost;\n', MORE],
  ['a table of MariaDB', "USE mysql;\nDELETE FROM global_priv WHERE User = 'x';\n", MORE],
  ['a variable of the server', 'SET GLOBAL general_log = 1;\n', MORE],
  ['a view', 'CREATE SQL SECURITY INVOKER VIEW v AS SELECT 1 AS a;\n', MORE],
  [
    'a trigger',
    'CREATE TABLE planted (a INT);\nCREATE TRIGGER r BEFORE INSERT ON planted FOR EACH ROW SET NEW.a = 1;\n',
    MORE,
  ],
  ['an event', 'CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO SELECT 1;\n', MORE],
  ['a routine of root’s', 'CREATE DEFINER=root@localhost PROCEDURE p() SELECT 1;\n', MORE],
  ['a file of the server', `SELECT 1 INTO OUTFILE '${LOOT}';\n`, MORE],
  [
    'a file of the client',
    `CREATE TABLE planted (a TEXT);\nLOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE planted;\n`,
    MORE,
  ],
  ['a command of the client', `\\! touch ${LOOT}\n;\n`, NOT_SQL],
  ['another command of the client', `system touch ${LOOT}\n;\n`, NOT_SQL],
  ['a file of statements', `source ${LOOT}\n;\n`, NOT_SQL],
]

const GRANTS = (user: string) => [
  expect.stringMatching(
    / IDENTIFIED VIA mysql_native_password USING '\*\w{40}' OR unix_socket WITH MAX_USER_CONNECTIONS \d+ MAX_STATEMENT_TIME \d+\.0+$/,
  ),
  `GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, REFERENCES, INDEX, ALTER, CREATE TEMPORARY TABLES, LOCK TABLES ON \`${user}\`.* TO \`${user}\`@\`localhost\``,
]

/** The reach of a site's database account and of a dump of it. */
for (const suite of releases('database')) {
  unless(lab.available()).describe(`the databases of sites on ${suite}`, () => {
    let world: DatabaseWorld
    let evil: Site
    let victim: Site
    let evading: () => Promise<void>

    beforeAll(async () => {
      world = await databaseWorld(suite)
      evil = await world.create('evil.example.test')
      victim = await world.create('victim.example.test')
      evading = await world.evade(victim)
    }, 10 * MINUTES)
    afterAll(() => world?.stop(), 5 * MINUTES)

    const statusOf = async ({ domain }: Site) =>
      (await get(world.host, `http://${domain}/?${crypto.randomUUID()}`)).status

    test('an account has rights to its tables and nothing more, and a limit of connections', async () => {
      expect(await world.root(`SHOW GRANTS FOR '${evil.user}'@localhost`)).toEqual(
        GRANTS(evil.user),
      )
      const attempts = [
        ['CREATE VIEW v AS SELECT 1', 1142],
        ['CREATE FUNCTION f() RETURNS INT RETURN 1', 1044],
        ['CREATE PROCEDURE p() SELECT 1', 1044],
        ['CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO SELECT 1', 1044],
        [
          'CREATE TABLE t (a INT); CREATE TRIGGER r BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1',
          1142,
        ],
        [`SELECT * FROM ${victim.user}.wp_users`, 1142],
        ['SELECT * FROM mysql.global_priv', 1142],
      ] as const
      for (const [statement, error] of attempts) {
        expect([statement, await world.errorOf(evil, statement)]).toEqual([statement, error])
      }
      // Which of the two refusals it is depends on the version of MariaDB.
      const file = await world.errorOf(evil, `SELECT 1 INTO OUTFILE '${LOOT}'`)
      expect([1045, 1227]).toContain(file)
    })

    test('a restore runs no code that a site stored as tables', async () => {
      await world.attempt(evil, `DELIMITER //\n${FUNCTION}//\n`)

      await world.remove(evil)
      expect(await world.restore(evil)).toEqual({ status: 'ok', domain: evil.domain })

      expect(await world.accounts('bd')).toEqual([])
      expect(await statusOf(evil)).toBe(200)
    })

    test('a dump that holds more than tables is refused, and stays in the trash', async () => {
      await world.remove(evil)
      const dump = `/srv/www/.trash/${evil.user}/database.sql`
      await world.host.must(['cp', '-p', dump, '/root/dump.sql'])
      for (const [what, text, reason] of PLANTED) {
        // Without its first line: with it the client itself refuses some.
        await world.host.must(['sh', '-c', 'sed 1d /root/dump.sql > "$0"; cat >> "$0"', dump], {
          input: text,
        })

        const { message } = await world.restore(evil)

        expect([what, message]).toEqual([what, expect.stringMatching(reason)])
        expect([what, await world.accounts('bd')]).toEqual([what, []])
        expect((await world.host.exec(['ls', LOOT])).code).toBe(2)
        expect(await world.root(`SHOW DATABASES LIKE '${evil.user}'`)).toEqual([])
      }
      await world.host.must(['cp', '-p', '/root/dump.sql', dump])
      expect(await world.restore(evil)).toEqual({ status: 'ok', domain: evil.domain })
      expect(await statusOf(evil)).toBe(200)
    })

    test('the same dump compromises a server whose accounts all have every right', async () => {
      await world.remove(evil)
      await world.root('GRANT ALL PRIVILEGES ON *.* TO PUBLIC WITH GRANT OPTION')
      const dump = `/srv/www/.trash/${evil.user}/database.sql`
      const [[, text] = []] = PLANTED
      await world.host.must(['cp', '-p', dump, '/root/dump.sql'])
      await world.host.must(['sh', '-c', 'cat >> "$0"', dump], { input: text ?? '' })

      await world.restore(evil)

      expect(await world.accounts('bd')).toEqual(['bd'])
      await world.root('DROP USER bd@localhost; REVOKE ALL PRIVILEGES, GRANT OPTION FROM PUBLIC')
      if ((await world.root(`SHOW DATABASES LIKE '${evil.user}'`)).length > 0) {
        await world.root(`DROP FUNCTION IF EXISTS ${evil.user}.zz`)
        return
      }
      await world.host.must(['cp', '-p', '/root/dump.sql', dump])
      expect(await world.restore(evil)).toEqual({ status: 'ok', domain: evil.domain })
    })

    test('a site that opens all connections leaves enough for its neighbours and the agent', async () => {
      const end = await world.open(evil, 160)
      try {
        expect(await statusOf(victim)).toBe(200)
        const another = await world.create('another.example.test')
        expect(await statusOf(another)).toBe(200)
        const held = `SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = '${evil.user}'`
        expect(await world.root(held)).toEqual(['15'])
      } finally {
        await end()
      }
    })

    test('a site with locked tables, an endless event and a broken configuration can be deleted', async () => {
      const { user, docroot } = evil
      await world.root(`USE ${user};
CREATE VIEW seen AS SELECT 1 AS a;
DELIMITER //
CREATE DEFINER='${user}'@localhost EVENT endless ON SCHEDULE EVERY 1 DAY DISABLE DO BEGIN SELECT ';;'; END//
DELIMITER ;
DO 0`)
      await world.attempt(
        evil,
        'CREATE TABLE odd (id INT PRIMARY KEY, bytes BLOB); INSERT INTO odd VALUES (1, 0x00FF27)',
      )
      const end = await world.open(evil, 10)
      const lock = await world.lock(evil, 'odd')
      await world.host.put(`${docroot}/wp-config.php`, '<?php this is no PHP')
      try {
        const lines = await world.removeLogged(evil)
        expect(lines).toContain('Warning: 1 event and 1 view are not part of the dump')
      } finally {
        await Promise.all([end(), lock()])
      }
      expect(await world.restore(evil)).toEqual({ status: 'ok', domain: evil.domain })
      expect(await world.root(`SELECT id, HEX(bytes) FROM ${user}.odd`)).toEqual(['1\t00FF27'])
      expect(
        await world.root(
          `SELECT COUNT(*) FROM information_schema.VIEWS WHERE TABLE_SCHEMA = '${user}'`,
        ),
      ).toEqual(['0'])
    })

    if (suite === 'trixie') crowdOfSites(() => ({ world, victim, evading }))

    if (suite === 'trixie') cutDump(() => ({ world, victim }))

    test('a site can create views and routines while its setting is on', async () => {
      const view = 'CREATE OR REPLACE VIEW v AS SELECT 1; DROP VIEW v'
      expect(await world.errorOf(victim, view)).toBe(1142)

      const on = { status: 'ok', database_routines: true }
      expect(await world.change(victim, { database_routines: true })).toMatchObject(on)
      expect(await world.errorOf(victim, view)).toBe(0)
      expect(await world.errorOf(victim, `SELECT * FROM ${evil.user}.wp_users`)).toBe(1142)

      const off = { status: 'ok', database_routines: false }
      expect(await world.change(victim, { database_routines: false })).toMatchObject(off)
      expect(await world.errorOf(victim, view)).toBe(1142)
    })

    test('an account with other rights gets the rights and limits of its site, and keeps its password', async () => {
      await world.otherRights(victim)
      expect(await world.errorOf(victim, 'CREATE FUNCTION f() RETURNS INT RETURN 1')).toBe(0)

      expect(await world.change(victim, { tier: 'medium' })).toMatchObject({ status: 'ok' })

      expect(await world.errorOf(victim, 'CREATE FUNCTION g() RETURNS INT RETURN 1')).toBe(1044)
      const [login, rights] = await world.root(`SHOW GRANTS FOR '${victim.user}'@localhost`)
      expect([login, rights]).toEqual(GRANTS(victim.user))
      expect(login).toContain('MAX_STATEMENT_TIME 120.0')
      expect(await statusOf(victim)).toBe(200)
    })
  })
}
