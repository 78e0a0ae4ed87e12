import type { InsideAttack } from '#agent/os/isolation/attack.ts'

/** Logins of people: who has them, and how one would get them. */
export const SSH = {
  'ssh.keys': {
    severity: 'high',
    title: 'Read who may log in to sites, or give itself a login',
    meaning: 'A site learns who works on its neighbours, or lets somebody in to them or to itself.',
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
} as const satisfies Record<string, InsideAttack>
