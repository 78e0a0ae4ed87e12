import { socketOf as objectsOf } from '#agent/features/object-cache/paths.ts'
import { fpmService, socketOf } from '#agent/features/php/fpm-files.ts'
import { purgeSocketOf } from '#agent/features/web/page-purge/paths.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { MAIL_PATHS } from '#agent/kernel/mail/paths.ts'
import { runAsSite } from '#agent/kernel/sandbox/run.ts'
import { formOf } from '#agent/kernel/services/index.ts'
import { docrootOf, homeOf, loginsOf, logsOf } from '#agent/kernel/site/paths.ts'
import { listSites } from '#agent/kernel/site/sites.ts'
import { CONTEXTS, type InsideAttack } from './attack.ts'
import {
  ATTACKER_PHP,
  CRON_ANSWER,
  CRON_SCRIPT,
  JOB_PHP,
  NEIGHBOUR_PHP,
  renderEntry,
  renderRun,
  SHELL_ANSWER,
  SHELL_SCRIPT,
} from './entry-scripts.ts'
import { plantedName, type Scene, writeAsSite } from './scene.ts'

export const SHARED = ['/tmp', '/var/tmp', '/dev/shm', '/run/lock']
/** The maximum number of other sites whose files are tried. */
const MAX_SITES = 500

export const markerOf = (random: string) => `canary-${random}`

/** Lists the configurations of all other sites of this server, the neighbour's first. */
export async function configsOf(host: Host, neighbour: string): Promise<string[]> {
  const users = (await listSites(host)).map(({ user }) => user).slice(0, MAX_SITES)
  return [neighbour, ...users].map((user) => `${docrootOf(user)}/wp-config.php`)
}

/** Returns the knowledge of the attacker: `$n` in the code of an attack. */
async function knowledgeOf({ host, attacker, neighbour, random, secret, key, about }: Scene) {
  return {
    user: attacker.user,
    neighbour: neighbour.user,
    domain: neighbour.domain,
    home: homeOf(neighbour.user),
    docroot: docrootOf(neighbour.user),
    include: `${docrootOf(neighbour.user)}/isolation-secret.php`,
    configs: await configsOf(host, neighbour.user),
    socket: socketOf(neighbour),
    mail: MAIL_PATHS.socket(neighbour.user),
    objects: objectsOf(neighbour.user),
    purge: purgeSocketOf(neighbour.user),
    unit: fpmService(neighbour).unit,
    mail_log: MAIL_PATHS.logOf(neighbour.user),
    logs: logsOf(neighbour.user),
    prefix: about.prefix,
    pids: [...new Set([about.pid, about.ppid, 1])].filter((pid) => pid > 0),
    state: host.settings.state_dir,
    systemd: formOf(host, { systemd: true, direct: false }),
    shared: SHARED,
    marker: markerOf(random),
    random: markerOf(random),
    planted: plantedName(random),
    secret,
    key,
  }
}

/** Installs the attacks in the attacker: a script behind nginx, and a plugin that a job runs. */
export async function installAttacks(
  scene: Scene,
  attacks: ReadonlyMap<string, InsideAttack>,
): Promise<void> {
  const { host, attacker } = scene
  const plugins = 'public/wp-content/mu-plugins'
  const folder = `${homeOf(attacker.user)}/${plugins}`
  await runAsSite(host, attacker, ['mkdir', '-p', '--', folder], { umask: 0o027 })
  const library = renderLibrary(await knowledgeOf(scene), attacks)
  await writeAsSite(host, attacker, 'public/isolation-library.php', library)
  await writeAsSite(host, attacker, `${plugins}/isolation.php`, JOB_PHP)
  await writeAsSite(host, attacker, `public/${CRON_SCRIPT}`, renderRun('cron', CRON_ANSWER))
  await writeAsSite(host, attacker, `public/${SHELL_SCRIPT}`, renderRun('shell', SHELL_ANSWER))
  await writeAsSite(host, attacker, 'public/isolation.php', renderEntry(ATTACKER_PHP, scene.key))
}

/** Gives the neighbour something worth reading in each location that an attack examines. */
export async function installNeighbour(
  host: Host,
  neighbour: Scene['neighbour'],
  { random, secret, key }: Pick<Scene, 'random' | 'secret' | 'key'>,
): Promise<void> {
  await writeAsSite(host, neighbour, 'public/isolation-secret.php', `<?php return '${secret}';\n`)
  await writeAsSite(host, neighbour, 'public/isolation.txt', `${secret}\n`)
  await writeAsSite(host, neighbour, 'logs/jobs.log', `${secret}\n`)
  await runAsSite(host, neighbour, ['mkdir', '-p', '--', loginsOf(neighbour.user)])
  await writeAsSite(host, neighbour, 'tmp/logins/isolation', secret)
  const marker = markerOf(random)
  const paths = SHARED.map((folder) => `'${folder}/${marker}'`).join(', ')
  await writeAsSite(host, neighbour, 'public/isolation.php', renderEntry(NEIGHBOUR_PHP(paths), key))
}

function renderLibrary(knowledge: object, attacks: ReadonlyMap<string, InsideAttack>): string {
  const list = [...attacks].map(([id, { contexts = CONTEXTS, code }]) => {
    const where = contexts.map((context) => `'${context}'`).join(', ')
    return `$attacks['${id}'] = [[${where}], function (array $n) {${code}\n}];`
  })
  return `<?php
namespace HostingControl\\Isolation;
if (!defined('ABSPATH')) exit;
${PRELUDE}
function knowledge() {
  return json_decode(<<<'KNOWLEDGE'
${JSON.stringify(knowledge)}
KNOWLEDGE, true);
}

/** The verdict of each attack in this context. */
function tried($context) {
  $n = knowledge();
  make_links($context, $n);
  if ($context === 'php') make_uploads();
  $attacks = [];
${list.join('\n')}
  $verdicts = [];
  foreach ($attacks as $id => [$contexts, $attack]) {
    if (!in_array($context, $contexts, true)) continue;
    try {
      [$outcome, $detail] = $attack($n);
    } catch (\\Throwable $error) {
      [$outcome, $detail] = ['error', $error->getMessage()];
    }
    $verdicts[$id] = ['outcome' => $outcome, 'detail' => substr($detail, 0, 200)];
  }
  return $verdicts;
}

function json($value) { return json_encode($value, JSON_INVALID_UTF8_SUBSTITUTE); }
`
}

/**
 * PHP functions for the code of every attack. `done` runs an SQL statement, and a second one that
 * undoes it; `found` turns a list of findings into a verdict.
 */
const PRELUDE = String.raw`
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
