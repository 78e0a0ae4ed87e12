import type { InsideAttack } from '#agent/features/isolation/attack.ts'

/** Attacks on files of other sites, tried from PHP. */
export const FILE_ATTACKS = {
  'files.configs': {
    severity: 'critical',
    title: 'Read the wp-config.php of other sites',
    meaning: 'A site reads the database password of its neighbours.',
    code: `
return found('read', array_filter($n['configs'], fn($path) => reads($path)));`,
  },
  'files.homes': {
    severity: 'medium',
    title: 'List the homes of other sites',
    meaning: 'A site learns which other sites the server has, and what is in their folders.',
    code: `
$seen = [];
foreach (['/srv/www', '/home'] as $folder) {
  $names = array_diff(@scandir($folder) ?: [], ['.', '..', $n['user']]);
  if ($names) $seen[] = $folder . ' (' . count($names) . ')';
}
foreach (['/root', $n['home'], $n['docroot']] as $folder) if (@scandir($folder)) $seen[] = $folder;
return found('listed', $seen);`,
  },
  'files.write': {
    severity: 'critical',
    title: 'Write outside its own home',
    meaning: 'A site changes another site or the configuration of the server.',
    code: `
$written = [];
$folders = [$n['docroot'], $n['home'], '/srv/www', '/etc', '/etc/cron.d', '/etc/hosting', '/usr/local/bin',
  '/usr/local/lib/hosting', '/var/log/hosting', '/var/lib/mysql', '/run/hosting-fpm', $n['state']];
foreach ($folders as $folder) {
  $path = $folder . '/' . $n['random'];
  if (@file_put_contents($path, 'x') === false) continue;
  $written[] = $folder;
  @unlink($path);
}
return found('wrote to', $written);`,
  },
  'files.secrets': {
    severity: 'critical',
    title: 'Read the state of the agent, TLS keys, the trash and password hashes',
    meaning: 'A site takes over the agent, or reads deleted sites and private keys.',
    code: `
$folders = [$n['state'], $n['state'] . '/trust', $n['state'] . '/sites', $n['state'] . '/operations', '/etc/hosting/tls',
  '/etc/hosting/fpm', '/srv/www/.trash', '/var/backups'];
$files = ['/etc/shadow', '/etc/hosting-agent/agent.env', '/etc/mysql/debian.cnf', $n['state'] . '/trust/tls.key'];
return found('read', array_merge(
  array_filter($folders, fn($path) => array_filter(array_diff(@scandir($path) ?: [], ['.', '..']),
    fn($name) => !str_contains($name, $n['user']))),
  array_filter($files, fn($path) => reads($path)),
));`,
  },
  'files.include': {
    severity: 'critical',
    title: 'Include a PHP file of its neighbour, also from OPcache',
    meaning: 'A site reads compiled files, such as wp-config.php, from a shared cache.',
    code: `
$answer = @include $n['include'];
return $answer === $n['secret'] ? succeeded('included ' . $n['include']) : refused();`,
  },
  'files.shared': {
    severity: 'medium',
    title: 'Read what its neighbour wrote to /tmp, /var/tmp, /dev/shm and /run/lock',
    meaning: 'Temporary files of a site are visible to the others.',
    code: `
$seen = array_filter($n['shared'], fn($folder) => @file_exists($folder . '/' . $n['marker']));
return found('found the file in', $seen);`,
  },
} as const satisfies Record<string, InsideAttack>
