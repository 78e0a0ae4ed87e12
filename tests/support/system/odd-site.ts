import type { Host } from '#tests/support/lab/index.ts'

type Site = { user: string; docroot: string }

/** Names with a line end, like an option or a command, or not UTF-8. */
const FILES = `set -eu
umask 022
mkdir -p wp-content/uploads/2026/11 'wp-content/uploads/-rf *' private open
printf 'line\\n' > "wp-content/uploads/2026/11/Grüße & 'quotes' \\"two\\" \\$(id) 🌊.txt"
printf 'x' > "$(printf 'wp-content/uploads/new\\nline')"
printf 'x' > "$(printf 'wp-content/uploads/latin-\\344\\366')"
printf 'x' > 'wp-content/uploads/-rf */--no-preserve-root'
head -c 3000000 /dev/urandom > wp-content/uploads/2026/11/photo.jpg
ln wp-content/uploads/2026/11/photo.jpg wp-content/uploads/2026/11/hard.jpg
truncate -s 5M wp-content/uploads/sparse.bin
: > wp-content/uploads/empty
ln -s photo.jpg wp-content/uploads/2026/11/relative.jpg
ln -s /etc/hostname wp-content/uploads/absolute
ln -s nowhere wp-content/uploads/dangling
mkfifo wp-content/uploads/pipe
chmod 0400 wp-content/uploads/empty
chmod 0700 private
chmod 1777 open
chmod 2775 wp-content/uploads/2026
touch -d '2001-02-03 04:05:06.123456789' wp-content/uploads/2026/11/photo.jpg private
`

const TABLES = `
CREATE TABLE odd_rows (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  words VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci,
  bytes LONGBLOB,
  at TIMESTAMP NULL,
  length INT GENERATED ALWAYS AS (CHAR_LENGTH(words)) STORED
) ENGINE=InnoDB COMMENT='a; -- comment' AUTO_INCREMENT=4294967296;
CREATE TABLE odd_latin (id INT PRIMARY KEY, words VARCHAR(50)) ENGINE=MyISAM CHARACTER SET latin1;
CREATE TABLE odd_children (
  id INT PRIMARY KEY, parent BIGINT UNSIGNED, FOREIGN KEY (parent) REFERENCES odd_rows (id)
) ENGINE=InnoDB;
CREATE TABLE \`odd name; drop\` (\`select\` INT) ENGINE=Aria PAGE_CHECKSUM=1;
INSERT INTO odd_rows (words, bytes, at) VALUES
  ('𝄞 🌊 Grüße', UNHEX('00FF0A0D27225C1A'), '2026-03-29 01:30:00'),
  ('it''s; -- \\\\ "quoted"\\r\\n', REPEAT(UNHEX('00FF27'), 3000000), '1999-12-31 23:59:59'),
  (NULL, '', NULL), ('', NULL, NULL);
SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO';
INSERT INTO odd_rows (id, words) VALUES (0, 'zero');
SET SESSION sql_mode = DEFAULT;
INSERT INTO odd_latin VALUES (1, 'ä€');
INSERT INTO odd_children SELECT 1, MAX(id) FROM odd_rows;
INSERT INTO \`odd name; drop\` VALUES (7);
CREATE SEQUENCE odd_sequence START WITH 7;
DO NEXTVAL(odd_sequence);
`

/** Adds contents that a careless copy would lose. */
export async function fill(host: Host, { user, docroot }: Site): Promise<void> {
  const as = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups']
  await host.must([...as, 'env', '--chdir', docroot, 'bash', '-c', FILES])
  await host.put(`${docroot}/of-root.txt`, 'root', 0o640)
  await host.must(['mariadb', '--default-character-set=utf8mb4', user], { input: TABLES })
}

/** Everything below the folder of a site but passing files in its `tmp`. */
async function filesOf(host: Host, { docroot }: Site): Promise<string[]> {
  const home = docroot.replace(/\/public$/, '')
  const inside = ['find', home, '-path', `${home}/tmp/*`, '-prune', '-o']
  const format = '%P %y %m %U:%G %T@ %n %l\\n'
  const listed = await host.must([...inside, '-printf', format])
  const sums = await host.must([...inside, '-type', 'f', '-exec', 'sha256sum', '{}', '+'])
  return [...listed.split('\n').sort(), ...sums.split('\n').sort()]
}

const SCHEMA = (user: string) => `
SELECT 'database', s.* FROM information_schema.SCHEMATA s WHERE SCHEMA_NAME = '${user}';
SELECT 'table', TABLE_NAME, TABLE_TYPE, ENGINE, ROW_FORMAT, TABLE_COLLATION, CREATE_OPTIONS, TABLE_COMMENT
  FROM information_schema.TABLES WHERE TABLE_SCHEMA = '${user}' ORDER BY 2;
SELECT 'view', v.* FROM information_schema.VIEWS v WHERE TABLE_SCHEMA = '${user}' ORDER BY TABLE_NAME;
SELECT 'trigger', TRIGGER_NAME, EVENT_MANIPULATION, HEX(ACTION_STATEMENT), SQL_MODE, DEFINER,
  CHARACTER_SET_CLIENT, COLLATION_CONNECTION FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = '${user}';
SELECT 'routine', ROUTINE_NAME, HEX(ROUTINE_DEFINITION), SECURITY_TYPE, SQL_MODE, ROUTINE_COMMENT,
  DEFINER FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = '${user}' ORDER BY 2;
SELECT 'event', EVENT_NAME, EVENT_DEFINITION, STARTS, STATUS FROM information_schema.EVENTS WHERE EVENT_SCHEMA = '${user}';
SHOW CREATE USER '${user}'@'localhost';
SHOW GRANTS FOR '${user}'@'localhost';
`

/** Options that the jobs of WordPress write, at any minute. */
const OF_JOBS = `'cron', 'recovery_keys', 'finished_updating_comment_type'`

/** Schema, accounts, and all rows of tables that no WordPress job writes to. */
async function rowsOf(host: Host, { user }: Site): Promise<string[]> {
  const ask = (input: string) =>
    host.must(['mariadb', '--batch', '--skip-column-names', '--raw', user], { input })
  const names = (await ask("SHOW FULL TABLES WHERE Table_type = 'BASE TABLE'"))
    .split('\n')
    .flatMap((line) => line.split('\t')[0] || [])
  const tables = names.filter((name) => !name.endsWith('_options'))
  const each = tables.map(
    (name) =>
      `SHOW CREATE TABLE \`${name}\`; CHECKSUM TABLE \`${name}\` EXTENDED; SELECT * FROM \`${name}\`;`,
  )
  const rows = `SELECT id, HEX(words), SHA2(bytes, 256), LENGTH(bytes), at, length FROM odd_rows;`
  const options = names.filter((name) => name.endsWith('_options'))
  const kept = options.map(
    (name) =>
      `SELECT * FROM \`${name}\` WHERE option_name NOT IN (${OF_JOBS}) AND option_name NOT LIKE '\\_%transient\\_%' ORDER BY 1;`,
  )
  const odd = names.includes('odd_rows') ? [rows] : []
  return (await ask([SCHEMA(user), ...each, ...odd, ...kept].join('\n'))).split('\n')
}

/** The parts of a site that must be restored. */
export async function inventory(host: Host, site: Site) {
  return { files: await filesOf(host, site), rows: await rowsOf(host, site) }
}
