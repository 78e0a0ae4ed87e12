import { installSteps } from '#agent/kernel/effects/change.ts'
import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { LOGIN_PHP } from '#agent/kernel/site/paths.ts'
import type { Step } from '#agent/kernel/steps/command.ts'

/** Returns the step that installs root's program for logins to WordPress; none if it is installed. */
export const loginSteps = (host: Host): Promise<Step[]> =>
  installSteps(host, { name: 'login', title: 'Installing the program for logins' }, [
    { path: LOGIN_PHP, text: LOGIN_PHP_TEXT },
  ])

/** The hours after which somebody whom the dashboard has signed in must sign in again. */
const SESSION_HOURS = 8

/**
 * Runs in the PHP of a site, which belongs to the site: it can only sign somebody in to itself. The
 * token of the request names a file, whose removal succeeds for one request only. `wp_login` runs
 * as after a password, so that a plugin for a second factor still asks for it.
 */
export const LOGIN_PHP_TEXT = `<?php
// ${MARK_LINE}
(function () {
  header('Cache-Control: no-store');
  header('Referrer-Policy: no-referrer');
  header('X-Robots-Tag: noindex');
  $refuse = function ($status, $reason) {
    // After an error, PHP keeps its own status unless a header replaces it.
    header('Content-Type: text/html; charset=utf-8', true, $status);
    echo '<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">',
      '<title>Not logged in</title><h1>Not logged in</h1><p>', $reason, '</p>';
    exit;
  };
  $token = $_POST['token'] ?? '';
  if (($_SERVER['REQUEST_METHOD'] ?? '') !== 'POST') $refuse(405, 'This page takes POST only.');
  if (!is_string($token) || !preg_match('/^[A-Za-z0-9_-]{32,64}$/D', $token))
    $refuse(400, 'The token of the login is missing.');
  $file = dirname($_SERVER['DOCUMENT_ROOT']) . '/tmp/logins/' . hash('sha256', $token);
  $entry = is_file($file) ? json_decode((string) file_get_contents($file), true) : null;
  if (!is_array($entry) || !@unlink($file) || time() > ($entry['until'] ?? 0))
    $refuse(403, 'This login was used already, or is older than a minute. Start it again in the dashboard.');

  unset($_POST['token'], $_REQUEST['token']);
  define('DONOTCACHEPAGE', true);
  define('HOSTING_LOGIN', (int) ($entry['user'] ?? 0));

  // Before WordPress adds its own, which only says that there is an error.
  register_shutdown_function(function () use ($refuse) {
    $error = error_get_last();
    $fatal = E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR;
    if (!$error || !($error['type'] & $fatal) || headers_sent()) return;
    while (ob_get_level() > 0) ob_end_clean();
    $file = str_replace($_SERVER['DOCUMENT_ROOT'] . '/', '', $error['file']);
    $place = htmlspecialchars($file . ', line ' . $error['line'], ENT_QUOTES | ENT_SUBSTITUTE);
    $refuse(503, 'WordPress stops with an error in ' . $place . '. Rename the folder of the plugin or theme'
      . ' to turn it off, or restore a backup. The error log of the site has the text of the error.');
  });
})();

require $_SERVER['DOCUMENT_ROOT'] . '/wp-load.php';

(function () {
  $user = get_user_by('id', HOSTING_LOGIN);
  if (!$user) wp_die('This user no longer exists.', 'Not logged in', ['response' => 403]);
  add_filter('auth_cookie_expiration', fn() => ${SESSION_HOURS} * HOUR_IN_SECONDS, PHP_INT_MAX);
  wp_set_current_user($user->ID);
  wp_set_auth_cookie($user->ID, false);
  do_action('wp_login', $user->user_login, $user);
  wp_safe_redirect(admin_url(), 303);
  exit;
})();
`
