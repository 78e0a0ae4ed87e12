import type { Host } from '#agent/host/ports.ts'
import { runAsSite } from '#agent/os/as-site/run.ts'
import { MAIL } from '#agent/os/mail/places.ts'
import { socketOf as objectsOf } from '#agent/os/object-cache/places.ts'
import { purgeSocketOf } from '#agent/os/page-purge/places.ts'
import { fpmService, socketOf } from '#agent/os/php/fpm-files.ts'
import { docrootOf, homeOf, loginsOf, logsOf } from '#agent/os/site/paths.ts'
import { listSites } from '#agent/os/site/sites.ts'
import { CONTEXTS, type InsideAttack } from './attack.ts'
import { PRELUDE } from './prelude.ts'
import { plantedName, put, type Scene } from './scene.ts'

export const SHARED = ['/tmp', '/var/tmp', '/dev/shm', '/run/lock']
/** Below the home of the attacker, written by its job. */
export const JOB_ANSWER = 'tmp/isolation.json'
export const CRON_ANSWER = 'tmp/isolation-cron.json'
/** In the public folder of the attacker, where its cron jobs run. */
export const CRON_SCRIPT = 'isolation-cron.php'
/** The maximum number of other sites whose files are tried. */
const MOST_SITES = 500

export const markerOf = (random: string) => `canary-${random}`

/** The configurations of all other sites of this server, the neighbour's first. */
export async function configsOf(host: Host, neighbour: string): Promise<string[]> {
  const users = (await listSites(host)).map(({ user }) => user).slice(0, MOST_SITES)
  return [neighbour, ...users].map((user) => `${docrootOf(user)}/wp-config.php`)
}

/** The knowledge of the attacker: `$n` in the code of an attack. */
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
    ...{ mail: MAIL.socket(neighbour.user), objects: objectsOf(neighbour.user) },
    ...{ purge: purgeSocketOf(neighbour.user), unit: fpmService(neighbour).unit },
    ...{ mail_log: MAIL.logOf(neighbour.user), logs: logsOf(neighbour.user) },
    prefix: about.prefix,
    pids: [...new Set([about.pid, about.ppid, 1])].filter((pid) => pid > 0),
    ...{ state: host.settings.state_dir, systemd: host.init === 'systemd' },
    shared: SHARED,
    marker: markerOf(random),
    random: markerOf(random),
    planted: plantedName(random),
    ...{ secret, key },
  }
}

/** Installs the attacks in the attacker: a script behind nginx, and a plugin that a job runs. */
export async function placeAttacks(
  scene: Scene,
  attacks: ReadonlyMap<string, InsideAttack>,
): Promise<void> {
  const { host, attacker } = scene
  const plugins = 'public/wp-content/mu-plugins'
  const folder = `${homeOf(attacker.user)}/${plugins}`
  await runAsSite(host, attacker, ['mkdir', '-p', '--', folder], { umask: 0o027 })
  const library = renderLibrary(await knowledgeOf(scene), attacks)
  await put(host, attacker, 'public/isolation-library.php', library)
  await put(host, attacker, `${plugins}/isolation.php`, JOB)
  await put(host, attacker, `public/${CRON_SCRIPT}`, CRON)
  await put(host, attacker, 'public/isolation.php', renderEntry(ATTACKER, scene.key))
}

/** Gives the neighbour something worth reading in each location that an attack examines. */
export async function placeNeighbour(
  host: Host,
  neighbour: Scene['neighbour'],
  { random, secret, key }: Pick<Scene, 'random' | 'secret' | 'key'>,
): Promise<void> {
  await put(host, neighbour, 'public/isolation-secret.php', `<?php return '${secret}';\n`)
  await put(host, neighbour, 'public/isolation.txt', `${secret}\n`)
  await runAsSite(host, neighbour, ['mkdir', '-p', '--', loginsOf(neighbour.user)])
  await put(host, neighbour, 'tmp/logins/isolation', secret)
  const marker = markerOf(random)
  const paths = SHARED.map((folder) => `'${folder}/${marker}'`).join(', ')
  await put(host, neighbour, 'public/isolation.php', renderEntry(NEIGHBOUR(paths), key))
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

/** Loads WordPress first, so that the constants of wp-config.php are defined. */
const renderEntry = (cases: string, key: string) => `<?php
if (!hash_equals('${key}', (string) ($_GET['key'] ?? ''))) {
  http_response_code(404);
  exit;
}
ignore_user_abort(true);
set_time_limit(60);
require __DIR__ . '/wp-load.php';
header('Content-Type: application/json');
header('Cache-Control: no-store');
$home = dirname(__DIR__);
$answer = null;
switch ($_GET['do'] ?? '') {
${cases}
}
echo json_encode($answer, JSON_INVALID_UTF8_SUBSTITUTE);
`

const NEIGHBOUR = (paths: string) => `
  case 'show':
    foreach ([${paths}] as $path) if (@file_put_contents($path, 'x')) chmod($path, 0644);
    include __DIR__ . '/isolation-secret.php';
    $answer = ['pid' => getmypid(), 'ppid' => posix_getppid(), 'prefix' => $wpdb->prefix];
    break;
  case 'connect':
    $answer = ['connected' => (bool) $wpdb->check_connection(false)];
    break;
  case 'forget':
    foreach ([${paths}] as $path) @unlink($path);
    $answer = [];
    break;`

const ATTACKER = String.raw`
  case 'try':
    require __DIR__ . '/isolation-library.php';
    $answer = \HostingControl\Isolation\tried('php');
    break;
  case 'schedule':
    $answer = [wp_schedule_single_event(time() - 60, 'hosting_isolation')];
    break;
  case 'lock':
    $wpdb->query("LOCK TABLES {$wpdb->options} WRITE");
    file_put_contents($home . '/tmp/locked', 'x');
    sleep(15);
    $answer = [];
    break;
  case 'folders':
    $answer = 0;
    for ($one = 0; $one < 10; $one++) for ($other = 0; $other < 2000; $other++) {
      if (@mkdir(WP_CONTENT_DIR . "/themes/isolation-$one/$other", 0750, true)) $answer++;
    }
    break;`

/** Runs when WordPress' schedule is due, in whatever runs the jobs of a site. */
const JOB = String.raw`<?php
add_action('hosting_isolation', function () {
  require ABSPATH . 'isolation-library.php';
  $home = dirname(rtrim(ABSPATH, '/'));
  $verdicts = \HostingControl\Isolation\tried('job');
  \HostingControl\Isolation\leave_running($home . '/tmp/alive');
  $facts = ['verdicts' => $verdicts, 'cgroup' => (string) @file_get_contents('/proc/self/cgroup')];
  file_put_contents("$home/${JOB_ANSWER}.new", \HostingControl\Isolation\json($facts));
  rename("$home/${JOB_ANSWER}.new", "$home/${JOB_ANSWER}");
});
`

/** A cron job of the attacker runs it by wp-cli. */
const CRON = String.raw`<?php
if (!defined('WP_CLI')) exit;
require ABSPATH . 'isolation-library.php';
$home = dirname(rtrim(ABSPATH, '/'));
$verdicts = \HostingControl\Isolation\tried('cron');
file_put_contents("$home/${CRON_ANSWER}.new", \HostingControl\Isolation\json($verdicts));
rename("$home/${CRON_ANSWER}.new", "$home/${CRON_ANSWER}");
`
