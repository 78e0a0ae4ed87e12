import type { InsideAttack } from '#agent/features/isolation/attack.ts'

/** Attacks on the logs that the dashboard shows: see features/logs/. */
export const LOG_ATTACKS = {
  'logs.read': {
    severity: 'high',
    title: 'Read or change the logs of its neighbour',
    meaning:
      'A site learns who visits its neighbour, with the tokens in their addresses, and what its jobs print.',
    code: `
$files = [$n['logs'] . '/access.log', $n['logs'] . '/error.log', $n['home'] . '/logs/php-error.log',
  $n['home'] . '/logs/wordpress-debug.log', $n['home'] . '/logs/jobs.log', $n['mail_log']];
$did = array_filter($files, fn($path) => @file_exists($path) && is_readable($path));
foreach ([$n['logs'], $n['home'] . '/logs'] as $folder) if (@scandir($folder) !== false) $did[] = $folder;
foreach ($files as $path) if (@file_put_contents($path, '', FILE_APPEND) !== false) $did[] = $path;
return found('reached', array_unique($did));`,
  },
} as const satisfies Record<string, InsideAttack>
