/** The rights that WordPress and its plugins use. */
const TABLES =
  'SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX, ALTER, REFERENCES, CREATE TEMPORARY TABLES, LOCK TABLES'
/** Rights for code in the database, which few plugins need. */
const ROUTINES = 'CREATE VIEW, SHOW VIEW, TRIGGER, CREATE ROUTINE, ALTER ROUTINE, EXECUTE, EVENT'

const ACCOUNT = "?@'localhost'"
const PASSWORD = 'mysql_native_password USING'
const LIMITS = 'WITH MAX_USER_CONNECTIONS ? MAX_STATEMENT_TIME ?'
/** Limits statements on MariaDB's own tables, which no tenant can lock. */
const BOUNDED = 'SET STATEMENT max_statement_time=5, lock_wait_timeout=1 FOR'

/**
 * All SQL that the agent runs as root of MariaDB. A privileged statement that opens a table or a view
 * of a site can run code of that site with the rights of root, so these statements use only the tables
 * of `mysql` and of the performance schema, the lists of databases, privileges and connections, server
 * variables, whole databases and accounts. `?` are values, `??` identifiers.
 */
export const ADMIN_STATEMENTS = {
  answers: 'SELECT 1',

  find_database:
    'SELECT SCHEMA_NAME AS name, DEFAULT_CHARACTER_SET_NAME AS character_set, DEFAULT_COLLATION_NAME AS collation FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?',
  create_database: 'CREATE DATABASE ?? CHARACTER SET ? COLLATE ?',
  drop_database: 'DROP DATABASE IF EXISTS ??',

  find_account: 'SELECT User FROM mysql.global_priv WHERE User = ?',
  read_account: "SELECT Priv AS priv FROM mysql.global_priv WHERE User = ? AND Host = 'localhost'",
  create_account: `CREATE USER ${ACCOUNT} IDENTIFIED VIA ${PASSWORD} PASSWORD(?) OR unix_socket ${LIMITS}`,
  create_account_without_password: `CREATE USER ${ACCOUNT} IDENTIFIED VIA unix_socket`,
  alter_account: `ALTER USER ${ACCOUNT} IDENTIFIED VIA ${PASSWORD} ? OR unix_socket ${LIMITS}`,
  alter_account_without_password: `ALTER USER ${ACCOUNT} IDENTIFIED VIA unix_socket ${LIMITS}`,
  limit_account: `ALTER USER ${ACCOUNT} ${LIMITS}`,
  create_temporary_account: `CREATE USER ${ACCOUNT} IDENTIFIED VIA ${PASSWORD} ? ${LIMITS}`,
  lock_account: `ALTER USER IF EXISTS ${ACCOUNT} ACCOUNT LOCK`,
  drop_account: `DROP USER IF EXISTS ${ACCOUNT}`,

  read_database_rights: 'SELECT * FROM mysql.db WHERE User = ?',
  count_other_rights:
    'SELECT (SELECT COUNT(*) FROM mysql.tables_priv WHERE User = ?) + (SELECT COUNT(*) FROM mysql.columns_priv WHERE User = ?) + (SELECT COUNT(*) FROM mysql.procs_priv WHERE User = ?) + (SELECT COUNT(*) FROM mysql.proxies_priv WHERE User = ?) + (SELECT COUNT(*) FROM mysql.roles_mapping WHERE User = ?) AS count',
  grant_tables: `GRANT ${TABLES} ON ??.* TO ${ACCOUNT}`,
  grant_reading: `GRANT SELECT ON ??.* TO ${ACCOUNT}`,
  grant_routines: `GRANT ${ROUTINES} ON ??.* TO ${ACCOUNT}`,
  revoke_routines: `REVOKE ${ROUTINES} ON ??.* FROM ${ACCOUNT}`,
  revoke_everything: `REVOKE ALL PRIVILEGES, GRANT OPTION FROM ${ACCOUNT}`,

  end_connections: `KILL USER ${ACCOUNT}`,
  count_connections: 'SELECT COUNT(*) AS count FROM information_schema.PROCESSLIST WHERE USER = ?',

  list_long_statements: `${BOUNDED} SELECT QUERY_ID AS id, USER AS user, TIME_MS AS ms FROM information_schema.PROCESSLIST WHERE COMMAND IN ('Query', 'Execute') AND TIME_MS > ? ORDER BY TIME_MS DESC LIMIT 1000`,
  end_statement: 'KILL QUERY ID ?',

  list_routines: `${BOUNDED} SELECT name, type, security_type, definer FROM mysql.proc WHERE db = ? ORDER BY type, name LIMIT ?`,
  list_events: `${BOUNDED} SELECT name, definer FROM mysql.event WHERE db = ? ORDER BY name LIMIT ?`,
  list_temporary_accounts:
    "SELECT account.User AS user, rights.Db AS name, rights.Insert_priv AS writes FROM mysql.global_priv account LEFT JOIN mysql.db rights ON rights.User = account.User AND rights.Host = account.Host WHERE account.Host = 'localhost' AND account.User LIKE 'hosting\\\\_tmp\\\\_%' ORDER BY account.User LIMIT 1000",
  list_accounts: `${BOUNDED} SELECT User AS user, Host AS host, Priv AS priv FROM mysql.global_priv ORDER BY User, Host LIMIT ?`,
  list_database_rights: `${BOUNDED} SELECT User AS user, Host AS host, Db AS name FROM mysql.db ORDER BY User, Host, Db LIMIT ?`,
  list_table_rights: `${BOUNDED} SELECT User AS user, Host AS host, Db AS name FROM mysql.tables_priv UNION SELECT User, Host, Db FROM mysql.columns_priv UNION SELECT User, Host, Db FROM mysql.procs_priv LIMIT ?`,

  list_privileges: `${BOUNDED} SELECT GRANTEE AS who, PRIVILEGE_TYPE AS what, '*' AS place, IS_GRANTABLE AS passes FROM information_schema.USER_PRIVILEGES WHERE PRIVILEGE_TYPE <> 'USAGE' OR IS_GRANTABLE = 'YES' UNION ALL SELECT GRANTEE, PRIVILEGE_TYPE, TABLE_SCHEMA, IS_GRANTABLE FROM information_schema.SCHEMA_PRIVILEGES UNION ALL SELECT GRANTEE, PRIVILEGE_TYPE, TABLE_SCHEMA, IS_GRANTABLE FROM information_schema.TABLE_PRIVILEGES`,

  read_connections: 'SELECT @@GLOBAL.max_connections AS count',
  set_connections: 'SET GLOBAL max_connections = ?',
  read_performance_schema: 'SELECT @@GLOBAL.performance_schema AS enabled',
  list_statement_digests: `${BOUNDED} SELECT LEFT(DIGEST_TEXT, 1000) AS text, COUNT_STAR AS count, ROUND(SUM_TIMER_WAIT / 1e9) AS total_ms, ROUND(MAX_TIMER_WAIT / 1e9) AS longest_ms, SUM_ROWS_EXAMINED AS rows_examined, SUM_ROWS_SENT AS rows_sent, SUM_NO_INDEX_USED AS without_index, UNIX_TIMESTAMP(LAST_SEEN) AS last_at FROM performance_schema.events_statements_summary_by_digest WHERE SCHEMA_NAME = ? AND DIGEST_TEXT IS NOT NULL ORDER BY SUM_TIMER_WAIT DESC LIMIT ?`,

  read_packet: 'SELECT @@GLOBAL.max_allowed_packet AS bytes',
  set_packet: 'SET GLOBAL max_allowed_packet = ?',
} as const

export type AdminStatement = keyof typeof ADMIN_STATEMENTS
