import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { UNITS, WANTS } from '#agent/kernel/services/systemd.ts'
import { LIBRARY } from '#agent/kernel/site/paths.ts'
import { ETC_FILES } from './names.ts'
import { SHARED_ETC, SITE_ETC } from './places.ts'

const SCRIPT = `${LIBRARY}/follow-etc.php`
export const STAGING = `${SITE_ETC}/new`

/** The units that copy changes of /etc, and repeat the copy once. */
export const SERVICE = 'hosting-etc.service'
export const WATCH = 'hosting-etc.path'
export const TIMER = 'hosting-etc.timer'
/**
 * Repeats the copy some seconds later: systemd does not watch between the end of a service and the
 * next wait of its path unit. By then the first unit watches again, and this copies missed changes.
 */
export const LATE_SERVICE = 'hosting-etc-late.service'
export const LATE_WATCH = 'hosting-etc-late.path'

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

/** Root without a capability, with write access to this one folder only. */
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

/** One watch of the folder covers every file that is written, created, replaced or removed. */
const watchText = (service: string) => `# ${MARK_LINE}
[Unit]
Description=Changes of /etc, for sites

[Path]
PathChanged=/etc
Unit=${service}

[Install]
WantedBy=multi-user.target
`

/** At each boot, and after a failure of a watch. */
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

export const FOLLOWER_FILES = [
  { path: SCRIPT, text: SCRIPT_TEXT },
  { path: `${UNITS}/${SERVICE}`, text: serviceText() },
  { path: `${UNITS}/${WATCH}`, text: watchText(SERVICE) },
  { path: `${UNITS}/${LATE_SERVICE}`, text: serviceText(' late') },
  { path: `${UNITS}/${LATE_WATCH}`, text: watchText(LATE_SERVICE) },
  { path: `${UNITS}/${TIMER}`, text: TIMER_TEXT },
] as const

/** The link that enables the unit at boot, and its target. */
export const FOLLOWER_LINKS = [
  { path: `${WANTS}/${LATE_WATCH}`, target: `${UNITS}/${LATE_WATCH}` },
  { path: `${WANTS}/${WATCH}`, target: `${UNITS}/${WATCH}` },
  { path: `${UNITS}/timers.target.wants/${TIMER}`, target: `${UNITS}/${TIMER}` },
] as const
