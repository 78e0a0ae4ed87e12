import { generated } from '#agent/kernel/effects/change.ts'
import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { formOf } from '#agent/kernel/services/index.ts'
import { LIBRARY } from '#agent/kernel/site/paths.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { JOB_RUNNER_FILE } from './job-runner.ts'

export const RECORDER = `${LIBRARY}/record-jobs.php`

/**
 * Runs a program and records its time, its result and the end of its output: a line of JSON for
 * each of the last runs. For cron(8), which has no journal. It is written in PHP because every
 * server with sites has it, and works without the agent.
 */
export const RECORDER_TEXT = `<?php
// ${MARK_LINE}
[$path, $command] = [$argv[1], array_slice($argv, 2)];
$started = microtime(true);
$process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes, '/');
if (!is_resource($process)) exit(1);
$output = '';
while (!feof($pipes[1])) $output = substr($output . fread($pipes[1], 65536), -4096);
$status = proc_close($process);
$run = ['at' => round($started * 1000), 'seconds' => round(microtime(true) - $started, 3),
  'status' => $status, 'output' => $output];
$lines = @file($path, FILE_IGNORE_NEW_LINES) ?: [];
$lines[] = json_encode($run, JSON_INVALID_UTF8_SUBSTITUTE);
umask(0077);
if (file_put_contents("$path.new", implode("\\n", array_slice($lines, -20)) . "\\n")) rename("$path.new", $path);
`

/** Returns the step that installs what logs or records the runs of jobs; none if installed. */
export async function recorderSteps(host: Host): Promise<Step[]> {
  const recorder = { path: RECORDER, text: RECORDER_TEXT }
  const file = formOf(host, { systemd: JOB_RUNNER_FILE, direct: recorder })
  if ((await host.files.read(file.path)) === file.text) return []
  const written = generated(host, [file])
  return [{ name: 'job recorder', title: 'Installing the recorder of jobs', ...written }]
}
