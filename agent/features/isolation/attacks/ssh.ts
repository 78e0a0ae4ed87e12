import { RUN_FOLDER } from '#agent/features/access/shell-account.ts'
import type { InsideAttack } from '#agent/features/isolation/attack.ts'

/** Attacks on logins of people. */
export const SSH_ATTACKS = {
  'ssh.keys': {
    severity: 'high',
    title: 'Read who may log in to sites, or give itself a login',
    meaning:
      'A site learns who works on its neighbours, or gives somebody access to them or to itself.',
    code: `
$folder = '/etc/hosting/ssh';
$keys = "$folder/keys";
$seen = array_filter([$folder, $keys], fn($path) => @scandir($path) !== false);
foreach ([$n['user'], $n['neighbour']] as $user) if (reads("$keys/$user")) $seen[] = "$keys/$user";
if ($seen) return found('read', $seen);
$made = [];
$places = ["$keys/" . $n['user'], "$keys/" . $n['neighbour'], '/etc/ssh/sshd_config.d/' . $n['random'] . '.conf'];
foreach ($places as $path) {
  if (@file_put_contents($path, '# ' . $n['random']) === false) continue;
  $made[] = $path;
  @unlink($path);
}
$own = '/srv/www/' . $n['user'] . '/.ssh';
if (@mkdir($own)) {
  $made[] = $own;
  @rmdir($own);
}
return found('wrote', $made);`,
  },
  'ssh.shell': {
    severity: 'critical',
    title: 'Use the shell of a person, or leave the sandbox through a session',
    meaning:
      'A site works with the rights of the people of its neighbours, or sees the whole server.',
    code: `
$ways = [];
if (@scandir('${RUN_FOLDER}') !== false) $ways[] = '${RUN_FOLDER}';
preg_match_all('~ (${RUN_FOLDER}/\\S+)$~m', (string) @file_get_contents('/proc/net/unix'), $parts);
foreach ($parts[1] as $path) if (connects("unix://$path")) $ways[] = $path;
foreach ((array) @glob('/proc/[0-9]*') as $process) {
  foreach (['/etc/ssh', '/var/lib/mysql/mysql', '/srv/www/' . $n['neighbour'] . '/public'] as $hidden)
    if (@scandir($hidden) === false && @scandir("$process/root$hidden") !== false) $ways[] = "$process/root$hidden";
}
return found('reached', $ways);`,
  },
} as const satisfies Record<string, InsideAttack>
