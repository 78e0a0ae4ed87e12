import {
  failed,
  type InsideAttack,
  notApplicable,
  refused,
  type SceneAttack,
  succeeded,
} from '#agent/features/isolation/attack.ts'
import { openPorts, programsOn } from '#agent/features/servers/port-holders.ts'
import { tryAsSite } from '#agent/kernel/sandbox/run.ts'
import { RUN_FOLDERS } from '#agent/kernel/site/run-folders.ts'

const NO_SYSTEMD = 'systemd, which shows a site its own /run, is not running on this server'

/** The entries of /run that a site may see; below the folders that end with a slash, everything. */
const SHOWN_IN_RUN = [
  '/run/lock/',
  '/run/mysqld/',
  ...RUN_FOLDERS.map(({ path }) => `${path}/`),
  '/run/systemd',
  '/run/systemd/incoming',
]
const NOTIFY = '/run/systemd/notify'

/** The devices of a sandbox. `log` is a link to a socket that does not exist. */
const SHOWN_DEVICES = [
  'char',
  'core',
  'fd',
  'full',
  'hugepages',
  'log',
  'mqueue',
  'null',
  'ptmx',
  'pts',
  'random',
  'shm',
  'stderr',
  'stdin',
  'stdout',
  'tty',
  'urandom',
  'zero',
]

/** Services whose connections are of use to a site only against others. */
const SERVICES = [
  'udg:///run/systemd/journal/socket',
  'udg:///run/systemd/journal/dev-log',
  'unix:///run/systemd/journal/stdout',
  'udg:///dev/log',
  'unix:///run/systemd/private',
  'unix:///run/dbus/system_bus_socket',
  'unix:///run/ssh-unix-local/socket',
]

const listOf = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ')

/** Attacks on the server itself. */
export const SYSTEM_ATTACKS = {
  'run.list': {
    severity: 'high',
    title: 'See files and sockets of the server in /run',
    meaning: 'A site reaches services of the server, and learns who is logged in.',
    code: `
if (!$n['systemd']) return absent('${NO_SYSTEMD}');
$shown = [${listOf(SHOWN_IN_RUN)}];
$others = [];
$look = function ($folder) use (&$look, &$others, $shown) {
  foreach (array_diff(@scandir($folder) ?: [], ['.', '..']) as $name) {
    $path = "$folder/$name";
    if (in_array("$path/", $shown, true) || $path === '${NOTIFY}') continue;
    if (!in_array($path, $shown, true)) $others[] = $path;
    elseif (is_dir($path)) $look($path);
  }
};
$look('/run');
return found('saw', $others);`,
  },
  'run.notify': {
    severity: 'medium',
    title: 'Send messages to systemd',
    meaning: 'A site keeps systemd busy, outside of its own limits.',
    contexts: ['php', 'job', 'cron'],
    code: `
return connects('udg://${NOTIFY}') ? succeeded('connected to ${NOTIFY}') : refused();`,
  },
  'run.services': {
    severity: 'high',
    title: 'Connect to the journal, to systemd, to D-Bus and to the SSH server',
    meaning: 'A site erases the journal of the server, with the logins and the results of jobs.',
    code: `
$sockets = array_merge([${listOf(SERVICES)}], array_map(fn($path) => "unix://$path", (array) @glob('/run/systemd/io.systemd.*')));
return found('connected to', array_filter($sockets, fn($address) => connects($address)));`,
  },
  'journal.output': {
    severity: 'high',
    title: 'Write to the journal by printing',
    meaning: 'A site pushes the records of the server and of other sites out of the journal.',
    code: `
if (!$n['systemd']) return absent('${NO_SYSTEMD}');
$hasJournal = fn($path) => str_contains((string) @file_get_contents($path), 'JOURNAL_STREAM=');
$programs = array_filter((array) @glob('/proc/[0-9]*/environ'), $hasJournal);
return $programs ? succeeded('the output of a program goes to the journal') : refused();`,
  },
  'devices.list': {
    severity: 'medium',
    title: 'See devices of the server, and open terminals',
    meaning: 'A site takes all terminals of the server, and nobody can log in any more.',
    contexts: ['php', 'job', 'cron'],
    code: `
if (!$n['systemd']) return absent('${NO_SYSTEMD}');
$others = array_diff(@scandir('/dev') ?: [], ['.', '..', ${listOf(SHOWN_DEVICES)}]);
$others = array_map(fn($name) => "/dev/$name", $others);
if (@fopen('/dev/ptmx', 'r+') !== false) $others[] = '/dev/ptmx';
return found('saw', $others);`,
  },
  'process.files': {
    severity: 'low',
    title: 'Open more files than a site needs',
    meaning: 'A site takes memory of the kernel that no limit counts.',
    code: `
if (!$n['systemd']) return absent('${NO_SYSTEMD}');
$limit = posix_getrlimit()['hard openfiles'] ?? 'unlimited';
return is_int($limit) && $limit <= 16384 ? refused() : succeeded("may open $limit files in each process");`,
  },
  'kernel.io-uring': {
    severity: 'medium',
    title: 'Use io_uring',
    meaning: 'A fault in a large interface of the kernel makes a site root.',
    code: String.raw`
$code = 'my $b = "\0" x 120; my $r = syscall(425, 1, $b); print $r, " ", $!+0;';
$answer = program(['/usr/bin/perl', '-e', $code]);
if (!preg_match('/^(-?\d+) (\d+)$/', $answer, $parts)) return absent('there is no perl, or it cannot be started');
if ($parts[1] !== '-1') return succeeded('the kernel accepted it');
return $parts[2] === '38' ? absent('this kernel does not have it') : refused();`,
  },
} as const satisfies Record<string, InsideAttack>

/** A program that reads ports, and prints those that only their owners keep from the site. */
const TAKE_PORTS = `
$taken = [];
foreach (preg_split('/\\s+/', trim(stream_get_contents(STDIN))) as $port) {
  $socket = @stream_socket_server("tcp://127.0.0.1:$port", $code, $text);
  if ($socket !== false || str_contains($text, 'in use')) $taken[] = $port;
}
echo json_encode($taken);`

export const PORT_ATTACKS = {
  'ports.take': {
    severity: 'high',
    title: 'Take the port of a service while it restarts',
    meaning: 'A site keeps a service of the server down for all, and answers in its place.',
    async attempt({ host, attacker }) {
      const ports = (await openPorts(host)).filter((port) => port >= 1024)
      const holders = await Promise.all(
        ports.map(async (port) => ({ port, programs: await programsOn(host, port) })),
      )
      // systemd holds a port from the boot on.
      const open = holders.filter(({ programs }) => !programs.includes('systemd'))
      if (open.length === 0) return refused()
      if (open.every(({ programs }) => programs.length === 0))
        return notApplicable('ss is not installed, which shows the programs of ports')
      const argv = [`/usr/bin/php${attacker.php}`, '-n', '-r', TAKE_PORTS]
      const input = open.map(({ port }) => port).join(' ')
      const { code, stdout } = await tryAsSite(host, attacker, argv, { input })
      if (code !== 0 || !/^\[.*\]$/.test(stdout)) return failed('PHP did not run')
      const taken = open.filter(({ port }) => stdout.includes(`"${port}"`))
      const names = taken.map(({ port, programs }) => `${port} of ${programs[0] ?? 'a program'}`)
      return names.length > 0 ? succeeded(`it can take ${names.join(', ')}`) : refused()
    },
  },
} as const satisfies Record<string, SceneAttack>
