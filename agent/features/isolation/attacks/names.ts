import type { InsideAttack } from '#agent/features/isolation/attack.ts'

/** Attacks that look for names of neighbours in everything that a site can list or read. */
export const NAME_ATTACKS = {
  'names.files': {
    severity: 'low',
    title: 'Find names of neighbours in folders of the system',
    meaning: 'A site learns the domains and users of its neighbours.',
    code: `
$folders = ['/etc/cron.d', '/etc/logrotate.d', '/run/hosting-fpm', '/etc/nginx/sites-enabled',
  '/etc/nginx/sites-available', '/etc/systemd/system', '/etc/systemd/system/multi-user.target.wants',
  '/etc/systemd/system/timers.target.wants', '/etc/hosting/fpm', '/var/log/hosting', '/var/cache/hosting',
  '/var/lib/mysql', '/run/systemd/units'];
$named = fn($name) => str_contains($name, $n['neighbour']) || str_contains($name, $n['domain']);
return found('found them in', array_filter($folders, fn($folder) => array_filter(@scandir($folder) ?: [], $named)));`,
  },
  'names.manager': {
    severity: 'medium',
    title: 'Ask systemd about units of its neighbour',
    meaning: 'A site learns processes, paths and limits of its neighbours.',
    code: `
if (!$n['systemd']) return absent('this server does not run systemd');
$answer = program(['systemctl', 'show', '--property=MainPID', '--value', $n['unit']]);
if ((int) $answer > 0) return succeeded('systemctl show answered');
$sockets = ['/run/dbus/system_bus_socket', '/run/systemd/private'];
return found('connected to', array_filter($sockets, fn($path) => connects("unix://$path")));`,
  },
  'names.sockets': {
    severity: 'medium',
    title: 'Find names of neighbours among the sockets of the server',
    meaning: 'A site learns the users of its neighbours, and the paths of their sockets.',
    code: String.raw`
preg_match_all('~ (\S*[/@]\S*)$~m', (string) @file_get_contents('/proc/net/unix'), $parts);
$named = fn($path) => str_contains($path, $n['neighbour']) || str_contains($path, $n['domain']);
return found('saw', array_unique(array_filter($parts[1], $named)));`,
  },
  'names.texts': {
    severity: 'medium',
    title: 'Search the system for names of neighbours, in the names and the beginnings of files',
    meaning: 'A site learns the domains and users of its neighbours.',
    code: `
$named = fn($text) => str_contains($text, $n['neighbour']) || str_contains($text, $n['domain']);
$left = 30000;
$seen = [];
$search = function ($folder, $depth) use (&$search, &$left, &$seen, $named, $n) {
  foreach (array_diff(@scandir($folder) ?: [], ['.', '..']) as $name) {
    if ($left-- <= 0) return;
    $path = "$folder/$name";
    if (is_link($path) ? $named((string) @readlink($path)) || $named($name) : $named($name)) $seen[] = $path;
    elseif (is_link($path)) continue;
    elseif (is_dir($path)) { if ($depth > 0) $search($path, $depth - 1); }
    elseif (is_file($path) && $named((string) @file_get_contents($path, false, null, 0, 65536))) $seen[] = $path;
  }
};
foreach (['/etc', '/run', '/var', '/tmp', '/dev', '/opt', '/mnt', '/media', '/home', '/usr/local/etc', '/usr/local/lib/hosting'] as $folder) {
  $search($folder, 5);
}
foreach (['/proc', '/proc/self', '/proc/self/net', '/proc/sysvipc'] as $folder) $search($folder, 0);
return found('found them in', $seen);`,
  },
  // Includes accounts of people and other programs, and numbers near that of the neighbour.
  'names.accounts': {
    severity: 'medium',
    title: 'Read the accounts of neighbours, and look them up by name and number',
    meaning:
      'A site learns the users of its neighbours and of the administrators, and their domains.',
    code: `
$seen = [];
foreach (['passwd', 'group', 'subuid', 'subgid', 'shadow', 'gshadow'] as $name) foreach (['', '-'] as $old) {
  foreach (@file("/etc/$name$old", FILE_IGNORE_NEW_LINES) ?: [] as $line) {
    $fields = explode(':', $line);
    $person = in_array($name, ['passwd', 'group'], true) && (int) ($fields[2] ?? 0) >= 1000 && (int) $fields[2] < 65000;
    if (str_contains($line, $n['neighbour']) || ($person && $fields[0] !== $n['user'])) $seen["/etc/$name$old"] = true;
  }
}
if (posix_getpwnam($n['neighbour']) || posix_getgrnam($n['neighbour'])) $seen['its name'] = true;
$me = posix_geteuid();
for ($id = max(1000, $me - 200); $id < $me + 200; $id++) {
  if ($id !== $me && (posix_getpwuid($id) || posix_getgrgid($id))) $seen['numbers'] = true;
}
foreach (['passwd', 'group'] as $name) {
  if (program(['getent', $name, $n['neighbour']]) !== '') $seen["getent $name"] = true;
}
return found('found them by', array_keys($seen));`,
  },
} as const satisfies Record<string, InsideAttack>
