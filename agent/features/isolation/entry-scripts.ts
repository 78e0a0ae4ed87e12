import type { AttackContext } from './attack.ts'

/** The path below the home of the attacker to which its job writes. */
export const JOB_ANSWER = 'tmp/isolation.json'
export const CRON_ANSWER = 'tmp/isolation-cron.json'
/** The file in the public folder of the attacker, where its cron jobs run. */
export const CRON_SCRIPT = 'isolation-cron.php'
export const SHELL_ANSWER = 'tmp/isolation-shell.json'
/** The file in the public folder, where sessions begin. */
export const SHELL_SCRIPT = 'isolation-shell.php'

/** Loads WordPress first, so that the constants of wp-config.php are defined. */
export const renderEntry = (cases: string, key: string) => `<?php
if (!hash_equals('${key}', (string) ($_GET['key'] ?? ''))) {
  http_response_code(404);
  exit;
}
ignore_user_abort(true);
set_time_limit(60);
require __DIR__ . '/wp-load.php';
header('Content-Type: application/json');
header('Cache-Control: no-store');
$home = dirname(__DIR__);
$answer = null;
switch ($_GET['do'] ?? '') {
${cases}
}
echo json_encode($answer, JSON_INVALID_UTF8_SUBSTITUTE);
`

export const NEIGHBOUR_PHP = (paths: string) => `
  case 'show':
    foreach ([${paths}] as $path) if (@file_put_contents($path, 'x')) chmod($path, 0644);
    include __DIR__ . '/isolation-secret.php';
    $answer = ['pid' => getmypid(), 'ppid' => posix_getppid(), 'prefix' => $wpdb->prefix];
    break;
  case 'connect':
    $answer = ['connected' => (bool) $wpdb->check_connection(false)];
    break;
  case 'forget':
    foreach ([${paths}] as $path) @unlink($path);
    $answer = [];
    break;`

export const ATTACKER_PHP = String.raw`
  case 'try':
    require __DIR__ . '/isolation-library.php';
    $answer = \HostingControl\Isolation\tried('php');
    break;
  case 'schedule':
    $answer = [wp_schedule_single_event(time() - 60, 'hosting_isolation')];
    break;
  case 'lock':
    $wpdb->query("LOCK TABLES {$wpdb->options} WRITE");
    file_put_contents($home . '/tmp/locked', 'x');
    sleep(15);
    $answer = [];
    break;
  case 'folders':
    $answer = 0;
    for ($one = 0; $one < 10; $one++) for ($other = 0; $other < 2000; $other++) {
      if (@mkdir(WP_CONTENT_DIR . "/themes/isolation-$one/$other", 0750, true)) $answer++;
    }
    break;`

/** A plugin that runs when WordPress' schedule is due, in whatever runs the jobs of a site. */
export const JOB_PHP = String.raw`<?php
add_action('hosting_isolation', function () {
  require ABSPATH . 'isolation-library.php';
  $home = dirname(rtrim(ABSPATH, '/'));
  $verdicts = \HostingControl\Isolation\tried('job');
  \HostingControl\Isolation\leave_running($home . '/tmp/alive');
  $facts = ['verdicts' => $verdicts, 'cgroup' => (string) @file_get_contents('/proc/self/cgroup')];
  file_put_contents("$home/${JOB_ANSWER}.new", \HostingControl\Isolation\json($facts));
  rename("$home/${JOB_ANSWER}.new", "$home/${JOB_ANSWER}");
});
`

/** Returns a script for wp-cli. */
export const renderRun = (context: AttackContext, answer: string) => String.raw`<?php
if (!defined('WP_CLI')) exit;
require ABSPATH . 'isolation-library.php';
$home = dirname(rtrim(ABSPATH, '/'));
$verdicts = \HostingControl\Isolation\tried('${context}');
file_put_contents("$home/${answer}.new", \HostingControl\Isolation\json($verdicts));
rename("$home/${answer}.new", "$home/${answer}");
`
