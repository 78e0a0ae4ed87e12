import type { UnknownReason } from '#shared/servers/unknown-reasons.ts'

/** Why an agent does not know something of a found site, as the end of a sentence. */
const REASONS: Readonly<Record<UnknownReason, string>> = {
  certificate_unreadable: 'the certificate cannot be read',
  computed: 'the web server computes it from each request',
  config_environment: 'wp-config.php takes the database account from the environment of PHP',
  config_failed: 'wp-config.php cannot be read, or ends before it loads WordPress',
  config_incomplete: 'wp-config.php names no database account, or no table prefix',
  config_no_php: 'the server has no PHP on the command line to run wp-config.php',
  config_pending: 'wp-config.php has not been run yet',
  config_refused: 'no user may run wp-config.php',
  config_slow: 'wp-config.php did not end within 5 seconds',
  database: 'the database does not answer, or refuses the account of wp-config.php',
  database_elsewhere: 'the database is on another server, port or socket',
  elsewhere: 'PHP runs on another machine',
  fixed_answer: 'the web server returns a fixed answer, without a folder',
  folder_missing: 'the folder does not exist',
  folders: 'a folder, a file or a link cannot be read with the rights of the site',
  limit: 'the scan stopped at its limit',
  module_version: 'the PHP module of the web server does not report its version',
  no_answer: 'the scan of the site returned no result',
  no_certificate_yet: 'there is no certificate yet',
  no_folder: 'the folder is not known',
  no_plain_value: 'wp-config.php does not contain it as plain text',
  no_pool: 'no PHP-FPM of this server listens at the address that the web server uses',
  not_checked: 'WordPress has not been able to look for updates',
  nothing_readable: 'nothing in the folder can be read',
  object_cache: 'an object cache stores them',
  other_program: 'a program other than PHP-FPM listens at the address that the web server uses',
  pool_version: 'the version of the PHP-FPM pool cannot be determined',
  proxied: 'a program behind a proxy serves the site',
  wrapper: 'a wrapper script starts PHP',
}

const isKnown = (code: string): code is UnknownReason => Object.hasOwn(REASONS, code)

/**
 * Returns the text of a reason code; undefined for an unknown code, such as one of a newer agent.
 */
export function unknownReason(code: string | undefined): string | undefined {
  return code !== undefined && isKnown(code) ? REASONS[code] : undefined
}

/** Shown in place of an unknown fact; undefined: the agent knows it. */
export function unknownText(
  unknown: Readonly<Record<string, string>>,
  fact: string,
): string | undefined {
  const code = unknown[fact]
  if (code === undefined) return undefined
  const reason = unknownReason(code)
  return reason === undefined ? 'unknown' : `unknown: ${reason}`
}
