import type { InsideAttack } from '#agent/features/isolation/attack.ts'

/** The context of SQL attacks: the account is the same in all of them. */
const SQL = { contexts: ['php'] } as const

/** Attacks on the rights of the account of a site. */
export const SQL_ATTACKS = {
  'sql.grants': {
    ...SQL,
    severity: 'high',
    title: 'Find rights of its database account beyond its own tables',
    meaning: 'The account can do more than read and write its tables.',
    code: String.raw`
$usual = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'CREATE', 'DROP', 'INDEX', 'ALTER', 'REFERENCES',
  'CREATE TEMPORARY TABLES', 'LOCK TABLES', 'SHOW VIEW', 'DELETE HISTORY', 'USAGE'];
$more = [];
$rows = db()->query('SHOW GRANTS');
while ($row = $rows->fetch_row()) {
  if (!preg_match('/^GRANT (.+) ON (\S+) TO /', $row[0], $parts)) continue;
  if (str_contains($row[0], 'WITH GRANT OPTION')) $more[] = 'GRANT OPTION';
  $own = stripslashes($parts[2]) === quoted(DB_NAME) . '.*';
  foreach (explode(', ', $parts[1]) as $right) {
    if ($right !== 'USAGE' && (!$own || !in_array($right, $usual, true))) $more[] = $own ? $right : "$right ON $parts[2]";
  }
}
return found('has', $more);`,
  },
  'sql.routine': {
    ...SQL,
    severity: 'high',
    title: 'Create a stored function and a procedure',
    meaning: 'Code of the site can run in the sessions of others.',
    code: `
return found('created a', array_filter(['FUNCTION', 'PROCEDURE'], function ($kind) {
  $body = $kind === 'FUNCTION' ? '() RETURNS INT RETURN 1' : '() SELECT 1';
  return done("CREATE $kind isolation_made$body", "DROP $kind isolation_made");
}));`,
  },
  'sql.trigger': {
    ...SQL,
    severity: 'high',
    title: 'Create a trigger',
    meaning: 'Code of the site can run in the sessions of others.',
    code: `
db()->query('CREATE TABLE isolation_table (a INT)');
$made = done('CREATE TRIGGER isolation_made BEFORE INSERT ON isolation_table FOR EACH ROW SET @a = 1');
db()->query('DROP TABLE isolation_table');
return $made ? succeeded('created one') : refused();`,
  },
  'sql.event': {
    ...SQL,
    severity: 'high',
    title: 'Create an event',
    meaning: 'Code of the site runs inside MariaDB by itself.',
    code: `
$made = done('CREATE EVENT isolation_made ON SCHEDULE EVERY 1 YEAR STARTS NOW() + INTERVAL 1 YEAR DO SELECT 1', 'DROP EVENT isolation_made');
return $made ? succeeded('created one') : refused();`,
  },
  'sql.view': {
    ...SQL,
    severity: 'medium',
    title: 'Create a view',
    meaning: 'Code of the site can run in the sessions of others.',
    code: `
$made = done('CREATE SQL SECURITY INVOKER VIEW isolation_made AS SELECT 1', 'DROP VIEW isolation_made');
return $made ? succeeded('created one') : refused();`,
  },
  'sql.files': {
    ...SQL,
    severity: 'critical',
    title: 'Read and write files of the server with SQL',
    meaning: 'The site reads and writes files with the rights of MariaDB.',
    code: `
$seen = [];
$rows = db()->query("SELECT LOAD_FILE('/etc/passwd')");
if ($rows && $rows->fetch_row()[0] !== null) $seen[] = 'LOAD_FILE';
if (done("SELECT 1 INTO OUTFILE '/var/lib/mysql/" . $n['random'] . "'")) $seen[] = 'INTO OUTFILE';
db()->query('CREATE TABLE isolation_table (a TEXT)');
if (done("LOAD DATA INFILE '/etc/passwd' INTO TABLE isolation_table")) $seen[] = 'LOAD DATA INFILE';
db()->query('DROP TABLE isolation_table');
return found('used', $seen);`,
  },
  'sql.databases': {
    ...SQL,
    severity: 'critical',
    title: 'Read databases of others and of the system',
    meaning: 'The site reads the data of its neighbours and all accounts.',
    code: `
$seen = array_diff(array_column(db()->query('SHOW DATABASES')->fetch_all(), 0), [DB_NAME, 'information_schema']);
$tables = [quoted($n['neighbour']) . '.' . quoted($n['prefix'] . 'users'), 'mysql.global_priv', 'mysql.db'];
foreach ($tables as $table) if (done("SELECT 1 FROM $table LIMIT 1")) $seen[] = $table;
return found('saw', array_unique($seen));`,
  },
  'sql.processes': {
    ...SQL,
    severity: 'medium',
    title: 'See statements of others in the list of processes',
    meaning: 'The site reads queries of its neighbours, and data in them.',
    code: `
$users = array_column(db()->query('SHOW FULL PROCESSLIST')->fetch_all(MYSQLI_ASSOC), 'User');
return found('saw those of', array_diff(array_unique($users), [DB_USER]));`,
  },
  'sql.account': {
    ...SQL,
    severity: 'critical',
    title: 'Change global variables, create accounts and give itself rights',
    meaning: 'The site administers MariaDB.',
    code: `
$name = "'" . $n['planted'] . "'@'localhost'";
$seen = [];
if (done('SET GLOBAL max_connections = @@GLOBAL.max_connections')) $seen[] = 'SET GLOBAL';
if (done("CREATE USER $name ACCOUNT LOCK", "DROP USER $name")) $seen[] = 'CREATE USER';
if (done('GRANT SELECT ON *.* TO CURRENT_USER')) $seen[] = 'GRANT';
return found('used', $seen);`,
  },
  // Bounded, so that the other sites keep half of the connections if none is refused.
  'sql.connections': {
    ...SQL,
    severity: 'high',
    title: 'Take the database connections of the server',
    meaning: 'One site stops all others.',
    code: String.raw`
$most = intdiv((int) db()->query('SELECT @@GLOBAL.max_connections')->fetch_row()[0], 2);
$open = [];
while (count($open) < $most && ($one = connection())) $open[] = $one;
$body = asks('tcp://127.0.0.1:80', "GET /isolation.php?do=connect&key={$n['key']} HTTP/1.0\r\nHost: {$n['domain']}\r\n\r\n", 10);
$count = count($open);
foreach ($open as $one) $one->close();
if (preg_match('/"connected":false|establishing a database connection/', $body)) return succeeded("with $count of them its neighbour has none");
if (!str_contains($body, '"connected":true')) return failed('the neighbour did not answer');
return $count >= $most ? succeeded("opened $count, half of all") : refused("$count and no more");`,
  },
} as const satisfies Record<string, InsideAttack>
