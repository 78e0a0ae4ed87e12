import { MARK_LINE } from '#agent/os/effects/generated.ts'
import { UNITS, WANTS } from '#agent/os/services/systemd.ts'
import { LIBRARY } from '#agent/os/site/paths.ts'
import { ETC_FILES } from './names.ts'
import { SHARED_ETC, SITE_ETC } from './places.ts'

const SCRIPT = `${LIBRARY}/follow-etc.php`
export const STAGING = `${SITE_ETC}/new`

/** The units that copy changes of /etc, and repeat the copy once. */
export const SERVICE = 'hosting-etc.service'
export const WATCH = 'hosting-etc.path'
export const TIMER = 'hosting-etc.timer'
/**
 * The same again some seconds later: systemd does not watch between the end of a service and the next
 * wait of its path unit. By then the first watch waits again, and what it missed is copied here.
 */
export const LATE_SERVICE = 'hosting-etc-late.service'
export const LATE_WATCH = 'hosting-etc-late.path'

/**
 * Copies the files of ETC_FILES that have changed: each appears whole, by a rename. A link that leads
 * out of /etc is the same link there, and one within it is a copy of its target. What not everybody may
 * read is not copied. It waits until half a second goes by without a change, since systemd does not see
 * those that happen while it runs. It is PHP since that is what every server with sites has.
 */
const SCRIPT_TEXT = String.raw`<?php
// ${MARK_LINE}
const NAMES = [${ETC_FILES.map((name) => `'${name}'`).join(', ')}];
const FROM = '/etc';
const TO = '${SHARED_ETC}';
const STAGING = '${STAGING}';

/** The wanted state of a name: a link and its target, a file and its text, or nothing. */
function wanted(string $path): array {
  $target = is_link($path) ? (string) readlink($path) : '';
  if (preg_match('~^(\.\./|/(?!etc/)|/etc/alternatives/)~', $target)) return ['link', $target];
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
    $wanted = wanted(FROM . "/$name");
    if ($wanted === present(TO . "/$name")) continue;
    put($name, ...$wanted);
    $changed = true;
  }
  if (!$changed) break;
}
`

/** Root without a capability, which can write to this one folder and nothing else. */
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

/** One watch of the folder sees every file that is written, made, replaced or removed in it. */
const watchText = (service: string) => `# ${MARK_LINE}
[Unit]
Description=Changes of /etc, for sites

[Path]
PathChanged=/etc
Unit=${service}

[Install]
WantedBy=multi-user.target
`

/** At each start of the machine, and in case a watch has failed. */
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

/** What starts with the machine: where it is enabled, and what it is. */
export const FOLLOWER_LINKS = [
  { path: `${WANTS}/${LATE_WATCH}`, target: `${UNITS}/${LATE_WATCH}` },
  { path: `${WANTS}/${WATCH}`, target: `${UNITS}/${WATCH}` },
  { path: `${UNITS}/timers.target.wants/${TIMER}`, target: `${UNITS}/${TIMER}` },
] as const
