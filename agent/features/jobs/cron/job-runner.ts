import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { LIBRARY, WP_CLI } from '#agent/kernel/site/paths.ts'
import { MAX_LOG_BYTES } from '#shared/logs/site-logs.ts'

export const JOB_RUNNER = `${LIBRARY}/run-job.php`
/** The folder before those of the system on the PATH of jobs. */
export const JOB_PROGRAMS = `${LIBRARY}/bin`

/** The size of the logged beginning: more than what is shown, so that it can be followed. */
const HEAD = 16_384
const TAIL = 65_536
/** The maximum number of logged lines of the end of a run, which may consist of newlines. */
const MAX_LINES = 10_000
/** The maximum length of a line in MAX_LOG_LINE; a longer one continues in the next. */
const MAX_LINE = 8000
/** The length of the time, the invocation, and two signs. */
const BEGINNING = 60

/**
 * Runs the program of a job as the site, and bounds what it prints: the log gets the beginning as
 * it comes, and the end when it is known. Each line begins with its time and the invocation of the
 * unit. SIGTERM reaches the program itself; this one stays to log the end. Background processes of
 * the program end with it.
 */
const JOB_RUNNER_TEXT = String.raw`<?php
// ${MARK_LINE}
if (function_exists('pcntl_async_signals')) {
  pcntl_async_signals(true);
  pcntl_signal(SIGTERM, function () {});
}
[$path, $command] = [$argv[1], array_slice($argv, 2)];
function put($lines) {
  global $path;
  if ($lines === []) return;
  $file = @fopen($path, 'ab');
  if (!$file || fstat($file)['size'] > ${MAX_LOG_BYTES}) return;
  $beginning = date_create()->setTimezone(new DateTimeZone('UTC'))->format('Y-m-d\TH:i:s.v\Z ') . getenv('INVOCATION_ID');
  $text = '';
  foreach ($lines as $line) {
    foreach (str_split($line, ${MAX_LINE}) ?: [''] as $at => $part) $text .= $beginning . ($at > 0 ? '+' : ' ') . "$part\n";
  }
  @fwrite($file, $text);
  fclose($file);
}
$process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes);
if (!is_resource($process)) {
  put(["$command[0] cannot be started"]);
  exit(127);
}
[$room, $end, $left, $status] = [${HEAD}, '', 0, null];
for (;;) {
  [$read, $none] = [[$pipes[1]], null];
  $ready = (int) @stream_select($read, $none, $none, 0, 200000);
  $chunk = $ready > 0 ? (string) fread($pipes[1], 65536) : '';
  if ($chunk !== '') {
    $end .= $chunk;
    for ($now = []; $room > 0 && ($size = strpos($end, "\n")) !== false;) {
      $room -= $size + ${BEGINNING};
      if ($room < 0) break;
      $now[] = substr($end, 0, $size);
      $end = substr($end, $size + 1);
    }
    put($now);
    if (strlen($end) > $room) $room = 0;
    if ($room > 0) continue;
    $left += max(0, strlen($end) - ${TAIL});
    $end = substr($end, -${TAIL});
    continue;
  }
  if ($status === null && !($state = proc_get_status($process))['running']) $status = $state;
  if ($status !== null) break;
}
$lines = $end === '' ? [] : explode("\n", substr($end, -1) === "\n" ? substr($end, 0, -1) : $end);
foreach (array_slice($lines, 0, -${MAX_LINES}) as $line) $left += strlen($line) + 1;
$lines = array_slice($lines, -${MAX_LINES});
put($left > 0 ? ["... $left bytes are left out ...", ...$lines] : $lines);
if (!$status['signaled']) exit($status['exitcode']);
// A shell gives the status of its program; any other program ends in its own way.
if ($command[0] !== '/bin/sh' && function_exists('pcntl_signal')) {
  pcntl_signal(SIGTERM, SIG_DFL);
  exec('kill -' . $status['termsig'] . ' ' . getmypid());
}
exit(128 + $status['termsig']);
`

/** Runs the PHP version of the site, with its mail; the variables are those of the unit. */
const PHP_TEXT = `#!/bin/sh
# ${MARK_LINE}
exec "/usr/bin/php$SITE_PHP" -d "sendmail_path=$SITE_SENDMAIL" "$@"
`

const WP_TEXT = `#!/bin/sh
# ${MARK_LINE}
exec ${JOB_PROGRAMS}/php -d memory_limit=512M ${WP_CLI} "$@"
`

const PROGRAM = { mode: 0o755 }

export const JOB_RUNNER_FILE = { path: JOB_RUNNER, text: JOB_RUNNER_TEXT }
export const JOB_PROGRAM_FILES = [
  JOB_RUNNER_FILE,
  { path: `${JOB_PROGRAMS}/php`, text: PHP_TEXT, options: PROGRAM },
  { path: `${JOB_PROGRAMS}/wp`, text: WP_TEXT, options: PROGRAM },
]
