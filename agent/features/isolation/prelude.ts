/**
 * Functions for the code of every attack. `done` runs an SQL statement, and a second one that
 * undoes it; `found` turns a list of findings into a verdict.
 */
export const PRELUDE = String.raw`
function refused($detail = '') { return ['refused', $detail]; }
function succeeded($detail) { return ['succeeded', $detail]; }
function absent($detail) { return ['not_applicable', $detail]; }
function failed($detail) { return ['error', $detail]; }

function found($did, array $names) {
  $names = array_values($names);
  if (!$names) return refused();
  $more = count($names) > 5 ? ' and ' . (count($names) - 5) . ' more' : '';
  return succeeded($did . ' ' . implode(', ', array_slice($names, 0, 5)) . $more);
}

function reads($path) {
  $text = @file_get_contents($path, false, null, 0, 1);
  return $text !== false && $text !== '';
}

function status_of($pid, $field) {
  $text = (string) @file_get_contents("/proc/$pid/status");
  return preg_match("/^$field:\s+(\S+)/m", $text, $parts) ? $parts[1] : null;
}

function connects($address) {
  $socket = @stream_socket_client($address, $code, $text, 1);
  if ($socket === false) return false;
  fclose($socket);
  return true;
}

/** The beginning of a server's answer, "" without an answer. */
function asks($address, $request, $seconds = 2) {
  $tls = ['ssl' => ['verify_peer' => false, 'verify_peer_name' => false]];
  $socket = @stream_socket_client($address, $code, $text, 1, STREAM_CLIENT_CONNECT, stream_context_create($tls));
  if ($socket === false) return '';
  stream_set_timeout($socket, $seconds);
  @fwrite($socket, $request);
  $answer = (string) @stream_get_contents($socket, 4096);
  fclose($socket);
  return $answer;
}

/** The output of a program; "" if it cannot be started. */
function program(array $argv) {
  if (!function_exists('proc_open')) return '';
  $process = @proc_open($argv, [['file', '/dev/null', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']], $pipes);
  if (!is_resource($process)) return '';
  $output = stream_get_contents($pipes[1], 4096);
  proc_close($process);
  return trim((string) $output);
}

/** A program in a session of its own that writes to a file for a minute. */
function leave_running($path) {
  if (!function_exists('proc_open')) return;
  $php = '/usr/bin/php' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
  $loop = 'for ($left = 120; $left > 0; $left--) { file_put_contents($argv[1], "x"); usleep(500000); }';
  $null = ['file', '/dev/null', 'r+'];
  $process = @proc_open(['setsid', '-f', $php, '-r', $loop, '--', $path], [$null, $null, $null], $pipes);
  if (is_resource($process)) proc_close($process);
}

/** Links for nginx to follow: to a readable file of the neighbour, and to one of the system. */
function make_links($context, array $n) {
  @symlink($n['docroot'] . '/isolation.txt', __DIR__ . "/link-$context.txt");
  @symlink($n['docroot'], __DIR__ . "/folder-$context");
  @symlink('/etc/passwd', __DIR__ . "/passwd-$context.txt");
  @link($n['docroot'] . '/isolation.txt', __DIR__ . "/hard-$context.txt");
  @link('/etc/passwd', __DIR__ . "/hard-passwd-$context.txt");
}

/** Scripts for nginx to pass to PHP: their output differs from their source, which proves a run. */
function make_uploads() {
  $folder = WP_CONTENT_DIR . '/uploads';
  @mkdir($folder, 0750, true);
  foreach (['php', 'phtml', 'phar', 'php5', 'PHP'] as $ending) {
    @file_put_contents("$folder/isolation.$ending", '<?php echo "isolation " . "ran";');
  }
}

function quoted($name) { return chr(96) . str_replace(chr(96), chr(96) . chr(96), $name) . chr(96); }

/** A connection as WordPress opens it; false if it is refused. */
function connection() {
  mysqli_report(MYSQLI_REPORT_OFF);
  [$host, $port] = explode(':', DB_HOST . ':');
  $socket = str_starts_with($port, '/') ? $port : null;
  $link = mysqli_init();
  return @$link->real_connect($host, DB_USER, DB_PASSWORD, DB_NAME, (int) $port, $socket) ? $link : false;
}

function db() {
  static $link = null;
  return $link ??= connection();
}

function done($statement, $back = null) {
  if (db()->query($statement) === false) return false;
  if ($back !== null) db()->query($back);
  return true;
}
`
