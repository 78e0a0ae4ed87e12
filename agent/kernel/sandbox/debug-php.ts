import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { DEBUG_PHP, LOG_VARIABLE, MAX_DEBUG_LOG, UNTIL_VARIABLE } from './debug.ts'
import { STAGING_PHP } from './staging.ts'

/**
 * PHP runs this before every program of a site whose debug log is on. A `define` in wp-config.php
 * comes later and has no effect: PHP reports it as a warning, which is left out of the log until
 * WordPress loads its plugins. A visitor cannot set these variables: names from requests begin with
 * `HTTP_`.
 *
 * The setting of the pool precedes that of `.user.ini`, such as the firewall of a plugin: its file is
 * run afterwards. A staging site has none, with and without its debug log. All of it is PHP 5.6.
 */
export const DEBUG_PHP_TEXT = `<?php
// ${MARK_LINE}
call_user_func(function () {
  if (time() >= (int) getenv('${UNTIL_VARIABLE}')) return;
  $log = (string) getenv('${LOG_VARIABLE}');
  if ((int) @filesize($log) > ${MAX_DEBUG_LOG}) return;
  define('WP_DEBUG', true);
  define('WP_DEBUG_LOG', $log);
  define('WP_DEBUG_DISPLAY', false);
  $quiet = function ($kind, $message) {
    return preg_match('/^Constant WP_DEBUG(?:_LOG|_DISPLAY)? already defined/', $message) === 1;
  };
  set_error_handler($quiet, E_WARNING | E_NOTICE);
  if (!isset($GLOBALS['wp_filter'])) $GLOBALS['wp_filter'] = [];
  if (!is_array($GLOBALS['wp_filter'])) return;
  $restore = function () use ($quiet) {
    $current = set_error_handler(function () {
      return false;
    });
    restore_error_handler();
    if ($current === $quiet) restore_error_handler();
  };
  $hook = ['function' => $restore, 'accepted_args' => 0];
  // The first of all.
  $GLOBALS['wp_filter']['muplugins_loaded'][~PHP_INT_MAX][] = $hook;
});
if (getenv('WP_ENVIRONMENT_TYPE') !== 'staging') {
  $hosting_own = @parse_ini_string((string) @file_get_contents($_SERVER['DOCUMENT_ROOT'] . '/.user.ini'));
  $hosting_own = isset($hosting_own['auto_prepend_file']) ? $hosting_own['auto_prepend_file'] : '';
  if (is_string($hosting_own) && $hosting_own !== '' && stream_resolve_include_path($hosting_own)) {
    require_once $hosting_own;
  }
  unset($hosting_own);
}
`

/** The file for both features: PHP has one setting. */
export const STAGING_DEBUG_PHP_TEXT = `<?php
// ${MARK_LINE}
require '${STAGING_PHP}';
require '${DEBUG_PHP}';
`
