import { socketOf as objectsOf } from '#agent/features/object-cache/places.ts'
import { fpmService, socketOf } from '#agent/features/php/fpm-files.ts'
import { purgeSocketOf } from '#agent/features/web/page-purge/places.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { MAIL } from '#agent/kernel/mail/places.ts'
import { runAsSite } from '#agent/kernel/sandbox/run.ts'
import { formOf } from '#agent/kernel/services/index.ts'
import { docrootOf, homeOf, loginsOf, logsOf } from '#agent/kernel/site/paths.ts'
import { listSites } from '#agent/kernel/site/sites.ts'
import { CONTEXTS, type InsideAttack } from './attack.ts'
import {
  ATTACKER,
  CRON_ANSWER,
  CRON_SCRIPT,
  JOB,
  NEIGHBOUR,
  renderEntry,
  renderRun,
  SHELL_ANSWER,
  SHELL_SCRIPT,
} from './entries.ts'
import { PRELUDE } from './prelude.ts'
import { plantedName, put, type Scene } from './scene.ts'

export const SHARED = ['/tmp', '/var/tmp', '/dev/shm', '/run/lock']
/** The maximum number of other sites whose files are tried. */
const MAX_SITES = 500

export const markerOf = (random: string) => `canary-${random}`

/** The configurations of all other sites of this server, the neighbour's first. */
export async function configsOf(host: Host, neighbour: string): Promise<string[]> {
  const users = (await listSites(host)).map(({ user }) => user).slice(0, MAX_SITES)
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
    ...{ state: host.settings.state_dir, systemd: formOf(host, { systemd: true, direct: false }) },
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
  await put(host, attacker, `public/${CRON_SCRIPT}`, renderRun('cron', CRON_ANSWER))
  await put(host, attacker, `public/${SHELL_SCRIPT}`, renderRun('shell', SHELL_ANSWER))
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
  await put(host, neighbour, 'logs/jobs.log', `${secret}\n`)
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
