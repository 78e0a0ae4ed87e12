import { dirname } from 'node:path'
import * as effects from '#agent/kernel/effects/effects.ts'
import { MARK_LINE, removeGenerated, replaceGenerated } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onUnits } from '#agent/kernel/services/index.ts'
import { UNITS, WANTS } from '#agent/kernel/services/systemd.ts'
import { LIBRARY } from '#agent/kernel/site/paths.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { ETC_FILES, ETC_FOLDERS } from './names.ts'
import { ACCOUNT_FILES, ACCOUNTS_FOLDER, linkOf, SHARED_ETC, SITE_ETC } from './paths.ts'

const SCRIPT = `${LIBRARY}/follow-etc.php`
const STAGING = `${SITE_ETC}/new`

/** The units that copy changes of /etc, and repeat the copy once. */
const SERVICE = 'hosting-etc.service'
const WATCH = 'hosting-etc.path'
const TIMER = 'hosting-etc.timer'
/**
 * The units that repeat the copy some seconds later: systemd does not watch between the end of a
 * service and the next wait of its path unit. By then the first unit watches again, and this copies
 * missed changes.
 */
const LATE_SERVICE = 'hosting-etc-late.service'
const LATE_WATCH = 'hosting-etc-late.path'

/**
 * Copies the files of ETC_FILES that have changed, each atomically by a rename. A link out of /etc
 * stays the same link, and a link within it becomes a copy of its target. Files that are not
 * world-readable are not copied. It waits for half a second without a change, since systemd does
 * not see changes while it runs. It is written in PHP because every server with sites has it.
 */
const SCRIPT_TEXT = String.raw`<?php
// ${MARK_LINE}
const NAMES = [${ETC_FILES.map((name) => `'${name}'`).join(', ')}];
const FROM = '/etc';
const TO = '${SHARED_ETC}';
const STAGING = '${STAGING}';

/** The state that a name should have: a link and its target, a file and its text, or nothing. */
function target(string $path): array {
  $link = is_link($path) ? (string) readlink($path) : '';
  if (preg_match('~^(\.\./|/(?!etc/)|/etc/alternatives/)~', $link)) return ['link', $link];
  if (!is_file($path) || (fileperms($path) & 0004) === 0) return ['nothing', ''];
  return ['file', (string) file_get_contents($path)];
}

function present(string $path): array {
  if (is_link($path)) return ['link', (string) readlink($path)];
  return is_file($path) ? ['file', (string) file_get_contents($path)] : ['nothing', ''];
}

function put(string $name, string $kind, string $content): void {
  if ($kind === 'nothing') {
    unlink(TO . "/$name");
    return;
  }
  global $argv;
  $new = STAGING . "/$name" . (isset($argv[1]) ? '.late' : '');
  @unlink($new);
  $whole = $kind === 'link' ? symlink($content, $new) : file_put_contents($new, $content) === strlen($content);
  if (!$whole || !rename($new, TO . "/$name")) exit(1);
}

umask(0022);
if (isset($argv[1])) sleep(5);
for ($left = 20; $left > 0; $left--) {
  usleep(500000);
  clearstatcache(true);
  $changed = false;
  foreach (NAMES as $name) {
    $target = target(FROM . "/$name");
    if ($target === present(TO . "/$name")) continue;
    put($name, ...$target);
    $changed = true;
  }
  if (!$changed) break;
}
`

/** Runs as root without a capability, with write access to this one folder only. */
const serviceText = (when = '') => `# ${MARK_LINE}
[Unit]
Description=Copy what sites see of /etc
StartLimitIntervalSec=0

[Service]
Type=oneshot
ExecStart=/usr/bin/php -n ${SCRIPT}${when}
TimeoutStartSec=60
Restart=on-failure
RestartSec=10
Nice=10
NoNewPrivileges=yes
CapabilityBoundingSet=
ProtectSystem=strict
ReadWritePaths=${SITE_ETC}
ProtectHome=yes
ProtectProc=invisible
PrivateTmp=yes
PrivateDevices=yes
PrivateNetwork=yes
RestrictNamespaces=yes
RestrictAddressFamilies=AF_UNIX
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
MemoryMax=256M
TasksMax=8
`

/** Watches the folder: that covers every file that is written, created, replaced or removed. */
const watchText = (service: string) => `# ${MARK_LINE}
[Unit]
Description=Changes of /etc, for sites

[Path]
PathChanged=/etc
Unit=${service}

[Install]
WantedBy=multi-user.target
`

/** Runs at each boot, and after a failure of a watch. */
const TIMER_TEXT = `# ${MARK_LINE}
[Unit]
Description=What sites see of /etc, every 15 minutes

[Timer]
OnActiveSec=1s
OnUnitInactiveSec=15min
AccuracySec=1s
Unit=${SERVICE}

[Install]
WantedBy=timers.target
`

const FOLLOWER_FILES = [
  { path: SCRIPT, text: SCRIPT_TEXT },
  { path: `${UNITS}/${SERVICE}`, text: serviceText() },
  { path: `${UNITS}/${WATCH}`, text: watchText(SERVICE) },
  { path: `${UNITS}/${LATE_SERVICE}`, text: serviceText(' late') },
  { path: `${UNITS}/${LATE_WATCH}`, text: watchText(LATE_SERVICE) },
  { path: `${UNITS}/${TIMER}`, text: TIMER_TEXT },
] as const

/** The link that enables the unit at boot, and its target. */
const FOLLOWER_LINKS = [
  { path: `${WANTS}/${LATE_WATCH}`, target: `${UNITS}/${LATE_WATCH}` },
  { path: `${WANTS}/${WATCH}`, target: `${UNITS}/${WATCH}` },
  { path: `${UNITS}/timers.target.wants/${TIMER}`, target: `${UNITS}/${TIMER}` },
] as const

/** The mount points of the server's folders; `hosting` is for the files of each site. */
const FOLDERS = [
  SITE_ETC,
  STAGING,
  ACCOUNTS_FOLDER,
  SHARED_ETC,
  ...[...ETC_FOLDERS, 'hosting'].map((name) => `${SHARED_ETC}/${name}`),
]
const LINKS = ACCOUNT_FILES.map((name) => ({ path: `${SHARED_ETC}/${name}`, target: linkOf(name) }))

/** Returns the step that creates the /etc of sites, and its follower; none if they exist. */
export const sharedEtcSteps = onUnits(async (host): Promise<Step[]> => {
  const missing = await missingOn(host)
  if (missing.length === 0) return []
  const apply = () => makeSharedEtc(host)
  return [{ name: 'site etc', title: 'Preparing the /etc of sites', effects: missing, apply }]
}, [])

/** Provides it immediately, without steps. */
export async function provideSharedEtc(host: Host): Promise<void> {
  if ((await missingOn(host)).length > 0) await makeSharedEtc(host)
}

async function missingOn(host: Host): Promise<Effect[]> {
  const links = [...LINKS, ...FOLLOWER_LINKS].map(({ path }) => path)
  const enabling = FOLLOWER_LINKS.map(({ path }) => dirname(path))
  return [
    ...(await effects.creationsOf(host, 'folder', ...FOLDERS, ...enabling)),
    ...(await effects.creationsOf(host, 'link', ...links)),
    ...(await effects.writesOf(host, FOLLOWER_FILES)),
  ]
}

/** Enables it last, so that an interrupted step runs again. */
async function makeSharedEtc(host: Host): Promise<void> {
  await host.files.mkdir(SITE_ETC, { mode: 0o700 })
  for (const path of FOLDERS.slice(1)) await host.files.mkdir(path, { mode: 0o755 })
  for (const { path, target } of LINKS) await host.files.link(target, path)
  for (const { path, text } of FOLLOWER_FILES) await replaceGenerated(host, path, text)
  await host.shell.run(['systemctl', 'daemon-reload'])
  await host.shell.run(['systemctl', 'start', SERVICE])
  for (const { path, target } of FOLLOWER_LINKS) {
    await host.files.mkdir(dirname(path))
    await host.files.link(target, path)
  }
  await host.shell.run(['systemctl', 'restart', LATE_WATCH, WATCH, TIMER])
}

/** Removes it when there is no site any more. */
export async function removeSharedEtc(host: Host): Promise<void> {
  const units = [LATE_WATCH, WATCH, TIMER, LATE_SERVICE, SERVICE]
  await host.shell.try(['systemctl', 'stop', ...units])
  for (const { path } of FOLLOWER_LINKS) await host.files.remove(path)
  for (const { path } of FOLLOWER_FILES) await removeGenerated(host, path)
  await host.files.remove(SITE_ETC)
}
