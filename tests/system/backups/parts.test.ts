// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import type { BackupParts } from '#shared/backups/backup-parts.ts'
import { dashboard, kit, opened } from '#tests/support/agent/backup.ts'
import * as lab from '#tests/support/lab/index.ts'
import { openedBy } from '#tests/support/repository-password.ts'
import { quickenKeys } from '#tests/support/storage/quick-keys.ts'
import { putRestic } from '#tests/support/storage/restic.ts'
import { ENVIRONMENT, startMachine } from '#tests/support/system/machine.ts'
import { provisioned } from '#tests/support/system/prepared.ts'
import { testProgram } from '#tests/support/system/test-program.ts'

const MINUTES = 60_000
setDefaultTimeout(10 * MINUTES)
const SITE = {
  domain: 'parts.example.test',
  php: '8.4',
  tier: 'small',
  tls: 'none',
  email: 'owner@example.test',
  user: 'parts1a2b3c',
}
const { user: USER, domain: DOMAIN } = SITE
const PUBLIC = `/srv/www/${USER}/public`
const TARGET = { place: { kind: 'local', path: '/mnt/store' }, secret: '' }

/** Tables of all engines, one with a name that needs quotes, a sequence, and a foreign key. */
const TABLES = `
CREATE TABLE t_innodb (id INT PRIMARY KEY, b LONGBLOB) ENGINE=InnoDB;
INSERT INTO t_innodb VALUES (1, x'00ff0a275c'), (2, '🎉');
CREATE TABLE t_child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES t_innodb (id)) ENGINE=InnoDB;
INSERT INTO t_child VALUES (1, 2);
CREATE TABLE t_aria (id INT, t TEXT) ENGINE=Aria; INSERT INTO t_aria VALUES (1, 'a;\\'b');
CREATE TABLE t_myisam (id INT, t TEXT) ENGINE=MyISAM; INSERT INTO t_myisam VALUES (1, NULL);
CREATE TABLE \`t odd\`\`;name\` (id INT) ENGINE=InnoDB; INSERT INTO \`t odd\`\`;name\` VALUES (7);
CREATE TABLE t_versions (id INT) WITH SYSTEM VERSIONING; INSERT INTO t_versions VALUES (1);
CREATE SEQUENCE t_seq START WITH 5; SELECT NEXT VALUE FOR t_seq;
CREATE TABLE t_other (id INT); INSERT INTO t_other VALUES (1);
`
const ALL = ['t_innodb', 't_child', 't_aria', 't_myisam', 't odd`;name', 't_versions', 't_seq']
const CHANGES = `
UPDATE t_innodb SET b = 'changed'; DELETE FROM t_child; DROP TABLE t_aria; TRUNCATE t_myisam;
ALTER TABLE \`t odd\`\`;name\` ADD x INT; DELETE FROM t_versions; SELECT NEXT VALUE FOR t_seq;
UPDATE t_other SET id = 2; CREATE TABLE t_new (id INT);
`

/** A site with odd names and tables of all kinds on a server of its own, and a backup of it. */
async function savedWorld() {
  const program = await testProgram('tests/support/system/faulty-agent.ts')
  const host = await startMachine(
    { name: 'parts', suite: 'trixie', init: 'systemd', image: await provisioned('trixie') },
    { program, mirror: await wordpressMirror(), serve: false },
  )
  const run = async (command: string, params: object, fault = 'none') => {
    const argv = ['/usr/local/bin/hosting-agent', command, fault, JSON.stringify(params)]
    return JSON.parse(await host.must(argv, { env: ENVIRONMENT, timeout_ms: 5 * MINUTES }))
  }
  const completed = async (command: string, params: object) => {
    const { event, data } = (await run(command, params)).outcome
    expect([event, data]).toEqual(['complete', data])
    return data
  }
  const bash = (text: string) => host.must(['bash', '-c', `cd ${PUBLIC} && ${text}`])
  const sql = (text: string) => host.must(['mariadb', SITE.user, '-N', '-e', text])

  /** Owners, modes and contents of all files, by path; times of folders change with a rename. */
  const files = async () => {
    const found = await bash(
      `find . -path ./wp-content/cache -prune -o -printf '%p|%y %U %G %m %s %l\\0'`,
    )
    const sums = await bash('find . -type f -print0 | sort -z | xargs -0 sha256sum -z')
    return [...found.split('\0'), ...sums.split('\0')].sort()
  }
  const rows = async (tables: readonly string[]) => {
    const dump: Record<string, string> = {}
    for (const name of tables) {
      const argv = ['mariadb-dump', '--skip-comments', '--hex-blob', SITE.user, name]
      dump[name] = (await host.exec(argv)).stdout
    }
    return dump
  }
  const state = async () => ({
    files: await files(),
    rows: await rows([...ALL, 't_other', 't_new']),
  })
  const left = () =>
    host.must(['bash', '-c', 'ls -A /srv/www/.restore/* /var/lib/hosting-agent/backups/*'])

  await putRestic(host)
  await host.must(['mkdir', '-m', '0700', '/mnt/store'])
  await completed('site.create', SITE)
  await bash(`mkdir -p odd/in a/b/c one && printf x > $'odd/new\\nline' &&
      printf y > $'odd/bad\\xff' && printf z > 'odd/q"[1]*' && printf w > 'odd/back\\slash' &&
      printf s > 'odd/$HOME' && ln -s /etc/shadow odd/link &&
      truncate -s 20M odd/sparse && printf 1 > 'odd/*' && printf c > a/b/c/file && printf 1 > one/1 &&
      chown -hR ${SITE.user}: odd a one && chmod 1751 a`)
  await sql(TABLES)
  const keys = { dashboard_key: dashboard.publicKey, recovery_key: kit.publicKey }
  const data = await completed('backup.create', {
    domain: DOMAIN,
    target: TARGET,
    repository: USER,
    ...keys,
  })
  const { backup } = data
  const password = opened(dashboard.privateKey, data.sealed_password)
  await quickenKeys(`${host.root}/mnt/store/${backup.repository}`, password)
  const restore = (parts: BackupParts) => ({
    ...{ domain: DOMAIN, target: TARGET, repository: backup.repository },
    ...{ ...openedBy(password), backup: backup.id, parts },
  })
  const undo = () => completed('backup.undo', { domain: DOMAIN })
  return { host, user: USER, run, completed, bash, sql, files, rows, state, left, restore, undo }
}

const reason = lab.available()
describe.skipIf(reason !== undefined)(`parts of a backup${reason ? ` [${reason}]` : ''}`, () => {
  let world: Awaited<ReturnType<typeof savedWorld>>
  const run = (...input: Parameters<typeof world.run>) => world.run(...input)
  const completed = (command: string, params: object) => world.completed(command, params)
  const restore = (parts: Parameters<typeof world.restore>[0]) => world.restore(parts)
  const paths = (...chosen: string[]) => restore({ files: true, database: false, paths: chosen })
  const [bash, sql] = [(text: string) => world.bash(text), (text: string) => world.sql(text)]
  const state = () => world.state()
  const [left, undo, files] = [() => world.left(), () => world.undo(), () => world.files()]
  const rows = (tables: readonly string[]) => world.rows(tables)

  beforeAll(async () => {
    world = await savedWorld()
  }, 10 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  test('chosen paths come back with everything in them, and nothing else changes', async () => {
    const saved = await files()
    await bash(`rm -r a odd/in && printf changed > odd/sparse && printf bad > 'odd/q"[1]*' &&
        printf changed > one/1 && printf new > one/2 && printf evil > odd/evil &&
        chown ${world.user}: one/2 odd/evil`)
    const changed = await state()

    await completed('backup.restore', paths('odd', 'a/b/c/file', 'one/1', 'one'))

    expect(await files()).toEqual(saved)
    expect((await state()).rows).toEqual(changed.rows)
    await bash('printf later > later')
    await undo()
    await bash('rm later')
    expect(await state()).toEqual(changed)
    await completed('backup.restore', paths('odd/q"[1]*', 'odd/*'))
    expect(await bash(`cat 'odd/q"[1]*' 'odd/*' odd/evil odd/sparse`)).toBe('z1evilchanged')
    await undo()
    expect(await state()).toEqual(changed)
    await completed('backup.restore', paths('odd', 'a', 'one'))
    expect(await files()).toEqual(saved)
  })

  test('a path that the backup does not have is an error before anything changes', async () => {
    const [before, rest] = [await state(), await left()]

    const { outcome } = await run('backup.restore', paths('odd', 'nothing/here'))

    expect(outcome.data.message).toBe('The backup does not have nothing/here')
    expect([await state(), await left()]).toEqual([before, rest])
  })

  test.each([
    ['/etc'],
    ['/srv/www/.restore'],
    ['/mnt/store'],
    ['../../other1/public'],
    ['/srv/www'],
  ])('a folder that is a link to %s now leads nowhere', async (to) => {
    await world.host.must(['mkdir', '-p', '/srv/www/other1/public/b/c'])
    const outside = async () =>
      world.host.must([
        ...['bash', '-c'],
        'find /etc /srv/www/other1 /mnt/store -type f -not -path "*hosting*" -not -path "*/locks/*" -printf "%p %i %s %T@\\n"',
      ])
    await bash(`mv a a.real && ln -s ${to} a && chown -h ${world.user}: a`)
    const [before, around] = [await state(), await outside()]

    const { outcome } = await run('backup.restore', paths('a/b/c/file', 'one'))

    expect(outcome.data.message).toContain('a is not a folder on the site now')
    expect(await outside()).toBe(around)
    expect(await state()).toEqual(before)
    await completed('backup.restore', paths('a'))
    expect(await bash('cat a/b/c/file')).toBe('c')
    expect(await outside()).toBe(around)
    await undo()
    expect(await state()).toEqual(before)
    await bash('rm a && mv a.real a')
  })

  test('chosen tables of all engines come back, and no other table changes', async () => {
    const saved = await rows(ALL)
    await sql(CHANGES)
    const changed = await state()

    await completed('backup.restore', restore({ files: false, database: true, tables: ALL }))

    expect(await rows(ALL)).toEqual(saved)
    expect(await sql('SELECT id FROM t_other; SHOW TABLES LIKE "t_new"')).toBe('2\nt_new\n')
    expect((await state()).files).toEqual(changed.files)
    await sql('UPDATE t_other SET id = 3')
    await undo()
    expect(await rows(ALL)).toEqual(keyed(changed.rows, ALL))
    expect(await sql('SELECT id FROM t_other')).toBe('3\n')
  })

  test('a table that the backup does not have is an error before anything changes', async () => {
    const [before, rest] = [await state(), await left()]
    const parts = { files: false, database: true, tables: ['t_aria', 't_new'] }

    const { outcome } = await run('backup.restore', restore(parts))

    expect(outcome.data.message).toBe('The backup does not have the table t_new')
    expect([await state(), await left()]).toEqual([before, rest])
  })

  test('a restore of parts that fails changes nothing, whichever step fails', async () => {
    await bash('printf now > one/1 && rm -r a')
    const [before, rest] = [await state(), await left()]
    const parts = { files: true, database: true, paths: ['one', 'a/b', 'odd'], tables: ALL }
    for (const step of ['fetch', 'stop', 'keep', 'dump', 'database', 'files', 'start', 'record']) {
      const { outcome } = await run('backup.restore', restore(parts), `${step}:1`)
      expect([step, outcome.data.message]).toEqual([step, 'injected fault'])
      expect([step, await state()]).toEqual([step, before])
      expect([step, await left()]).toEqual([step, rest])
    }
  })
})

const keyed = (dump: Record<string, string>, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, dump[name] ?? '']))
