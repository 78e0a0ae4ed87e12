/** What a program sees of the server, each as `path` or `path:path in its view`. */
interface Visible {
  reads: readonly string[]
  writes?: readonly string[]
  /** capabilities(7), separated by blanks. */
  capabilities: string
}

const SYSTEM = [
  ...['/usr', '-/bin', '-/sbin', '-/lib', '-/lib64'],
  ...['-/etc/ssl', '-/etc/ssh', '-/etc/resolv.conf', '-/etc/hosts', '-/etc/nsswitch.conf'],
  ...['-/etc/host.conf', '-/etc/gai.conf', '-/etc/passwd', '-/etc/group'],
]

/** The priority of backups: behind visitors. Not every scheduler of a disk knows weights. */
export const LOW: readonly string[] = [
  'Nice=10',
  'IOSchedulingClass=best-effort',
  'IOSchedulingPriority=7',
  'CPUWeight=20',
  'IOWeight=20',
]

/**
 * Directives of systemd.exec(5) for a program of root in an empty file system, into which only the
 * visible paths are mounted: a link that a site made, or changes meanwhile, leads nowhere. Of root's
 * rights it has only the capabilities.
 */
export function emptyRoot({ reads, writes = [], capabilities }: Visible): string[] {
  return [
    'TemporaryFileSystem=/:ro /tmp:mode=1777,size=1G',
    `BindReadOnlyPaths=${[...SYSTEM, ...reads].join(' ')}`,
    ...(writes.length > 0 ? [`BindPaths=${writes.join(' ')}`] : []),
    'MountAPIVFS=yes',
    'PrivateDevices=yes',
    `CapabilityBoundingSet=${capabilities}`,
    'NoNewPrivileges=yes',
    'PrivateIPC=yes',
    'ProtectProc=invisible',
    'ProtectClock=yes',
    'ProtectHostname=yes',
    'ProtectKernelModules=yes',
    'ProtectKernelLogs=yes',
    'ProtectKernelTunables=yes',
    'ProtectControlGroups=yes',
    'RestrictNamespaces=yes',
    'RestrictRealtime=yes',
    'LockPersonality=yes',
    'KeyringMode=private',
    'SystemCallArchitectures=native',
    'SystemCallFilter=@system-service',
    'SystemCallErrorNumber=EPERM',
    'KillSignal=SIGKILL',
    'LimitCORE=0',
    'MemoryMax=2G',
    'TasksMax=128',
    ...LOW,
  ]
}
