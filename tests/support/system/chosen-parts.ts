import { expect } from 'bun:test'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import type { BackupParts } from '#shared/backup-parts.ts'
import { dashboard, kit, opened } from '#tests/support/agent/backup.ts'
import { openedBy } from '#tests/support/repository-password.ts'
import { quickenKeys } from '#tests/support/storage/quick-keys.ts'
import { putRestic } from '#tests/support/storage/restic.ts'
import { ENVIRONMENT, startMachine } from './machine.ts'
import { provisioned } from './prepared.ts'
import { testProgram } from './test-program.ts'

const MINUTES = 60_000
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
export const ALL = [
  't_innodb',
  't_child',
  't_aria',
  't_myisam',
  't odd`;name',
  't_versions',
  't_seq',
]
export const CHANGES = `
UPDATE t_innodb SET b = 'changed'; DELETE FROM t_child; DROP TABLE t_aria; TRUNCATE t_myisam;
ALTER TABLE \`t odd\`\`;name\` ADD x INT; DELETE FROM t_versions; SELECT NEXT VALUE FOR t_seq;
UPDATE t_other SET id = 2; CREATE TABLE t_new (id INT);
`

/** A site with odd names and tables of all kinds on a server of its own, and a backup of it. */
export async function savedWorld() {
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
