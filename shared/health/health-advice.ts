const RESTART_PHP = 'restart its PHP, and read its log if it fails again'
const RESTART_DATABASE = 'restart MariaDB on the server'
const ISSUE = 'make sure that its domain points to this server, then issue it again'

const HEALTH_ADVICE: Readonly<Record<string, string>> = {
  php_failed: RESTART_PHP,
  php_failing: RESTART_PHP,
  php_stopped: RESTART_PHP,
  php_frozen: RESTART_PHP,
  php_silent: 'raise its tier if it has many visitors, or restart its PHP',
  php_busy: 'raise its tier if it has many visitors, or restart its PHP',
  database_away: RESTART_DATABASE,
  database_refused: 'set the password of the database account in its wp-config.php',
  database_missing: 'restore the database of the site',
  database_broken: 'repair its tables, or restore the database',
  database_busy: 'raise its tier, or look for slow queries',
  database_slow: 'look for slow queries, or restart MariaDB on the server',
  http_refused: 'restart nginx on the server',
  http_timeout: 'look for slow plugins, or restart its PHP',
  http_tls: 'issue its certificate again',
  http_broken: 'read its error log',
  http_fatal: 'read its error log, and turn the plugin or theme off',
  http_gateway: 'restart its PHP, and read its error log',
  http_error: 'read its error log',
  http_maintenance: 'wait for its update to end, or delete .maintenance in its folder',
  http_not_found: 'choose a front page in its WordPress',
  http_refuses: 'look for a plugin that refuses visitors',
  http_loop: 'check the address in the settings of its WordPress',
  http_empty: 'read its error log',
  visit_refused: 'check the firewall of the server, and restart nginx there',
  visit_unreachable: 'check the firewall of the server: ports 80 and 443 must be open',
  visit_timeout: 'look for slow plugins, or restart its PHP',
  visit_tls: 'issue its certificate again',
  visit_broken: 'read its error log',
  certificate_missing: ISSUE,
  certificate_expired: ISSUE,
  certificate_ending: ISSUE,
  certificate_name: ISSUE,
  certificate_key: ISSUE,
}

const FOUND_ADVICE: Readonly<Record<string, string>> = {
  http_refused: 'look on its server whether its web server runs',
  http_maintenance: 'wait for its update to end',
  certificate_expired: 'renew it on its server',
  certificate_ending: 'renew it on its server',
  certificate_name: 'get one for this name on its server',
}

/** Returns what to do about a health code, as the end of a sentence; "" for unknown ones. */
export function healthAdvice(code: string, { found }: { found: boolean }): string | undefined {
  if (!found) return HEALTH_ADVICE[code]
  if (!/^(http|certificate)_/.test(code)) return undefined
  return FOUND_ADVICE[code] ?? 'look at its log on its server'
}
