import { MARK_LINE } from '#agent/os/effects/generated.ts'
import { LIBRARY, WP_CLI } from '#agent/os/site/paths.ts'

export const JOB_RUNNER = `${LIBRARY}/run-job.php`
/** Before the programs of the system on the PATH of jobs. */
export const JOB_PROGRAMS = `${LIBRARY}/bin`

/** Together more than the 64 KiB that are shown, so that the beginning can be followed. */
const HEAD = 16_384
const TAIL = 65_536

/**
 * Runs the line of a job as the site, and bounds what it prints: the journal gets the beginning as
 * it comes, and the end when it is known. SIGTERM reaches the line itself; this program stays to
 * print the end. What the line leaves in the background ends with it.
 */
const JOB_RUNNER_TEXT = String.raw`<?php
// ${MARK_LINE}
if (function_exists('pcntl_async_signals')) {
  pcntl_async_signals(true);
  pcntl_signal(SIGTERM, function () {});
}
$process = proc_open(['/bin/sh', '-c', $argv[1]], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes);
if (!is_resource($process)) exit(127);
[$sent, $end, $left, $status] = [0, '', 0, null];
for (;;) {
  [$read, $none] = [[$pipes[1]], null];
  $ready = (int) @stream_select($read, $none, $none, 0, 200000);
  $chunk = $ready > 0 ? (string) fread($pipes[1], 65536) : '';
  if ($chunk !== '') {
    $now = substr($chunk, 0, ${HEAD} - $sent);
    $sent += strlen($now);
    echo $now;
    $end .= substr($chunk, strlen($now));
    $left += max(0, strlen($end) - ${TAIL});
    $end = substr($end, -${TAIL});
    continue;
  }
  if ($status === null && !($state = proc_get_status($process))['running']) $status = $state;
  if ($status !== null) break;
}
if ($left > 0) echo "\n... $left bytes are left out ...\n";
echo $end;
exit($status['signaled'] ? 128 + $status['termsig'] : $status['exitcode']);
`

/** The PHP version of the site, with its mail; the variables are those of the unit. */
const PHP_TEXT = `#!/bin/sh
# ${MARK_LINE}
exec "/usr/bin/php$SITE_PHP" -d "sendmail_path=$SITE_SENDMAIL" "$@"
`

const WP_TEXT = `#!/bin/sh
# ${MARK_LINE}
exec ${JOB_PROGRAMS}/php -d memory_limit=512M ${WP_CLI} "$@"
`

const PROGRAM = { mode: 0o755 }

export const JOB_PROGRAM_FILES = [
  { path: JOB_RUNNER, text: JOB_RUNNER_TEXT },
  { path: `${JOB_PROGRAMS}/php`, text: PHP_TEXT, options: PROGRAM },
  { path: `${JOB_PROGRAMS}/wp`, text: WP_TEXT, options: PROGRAM },
]
