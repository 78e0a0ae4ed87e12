import { LIBRARIES } from '#agent/kernel/host/root-programs.ts'

/** The visible paths of the server, each as `path` or `path:path in its view`. */
interface VisiblePaths {
  /** The programs that may be executed: the program itself, and what it starts. */
  programs: readonly string[]
  reads?: readonly string[]
  writes?: readonly string[]
}

interface EmptyRootOptions extends VisiblePaths {
  /** A folder with `passwd` and `group` of the accounts for the program; default: all. */
  accounts?: string | undefined
  /** Capabilities of capabilities(7), separated by blanks. */
  capabilities: string
}

const SEEN_LIBRARIES = LIBRARIES.flatMap(({ folder, loader }) => [
  `-${folder}`,
  `-${folder}:${folder.replace('/usr', '')}`,
  `-${folder}/${loader.slice(loader.lastIndexOf('/') + 1)}:${loader}`,
])

/** The visible files of names and certificates, without the keys of sshd. */
const SYSTEM_FILES = [
  '-/etc/ssl/certs',
  '-/etc/resolv.conf',
  '-/etc/hosts',
  '-/etc/nsswitch.conf',
  '-/etc/host.conf',
  '-/etc/gai.conf',
]

/** The paths of env(1), which sets the variables of every program in a unit, and of the locale. */
const STARTER = ['/usr/bin/env', '-/usr/lib/locale/C.utf8']

/** The priority of backups, behind visitors. Not every scheduler of a disk supports weights. */
export const LOW_PRIORITY: readonly string[] = [
  'Nice=10',
  'IOSchedulingClass=best-effort',
  'IOSchedulingPriority=7',
  'CPUWeight=20',
  'IOWeight=20',
]

/**
 * Returns directives of systemd.exec(5) for an empty file system with an allow-list of programs:
 * there are no other ones, and nothing else that is visible can be executed, whether a program
 * finds it or writes it. Every mount is named: systemd drops the empty root if NoExecPaths= names
 * that.
 */
export function onlyPrograms({ programs, reads = [], writes = [] }: VisiblePaths): string[] {
  return [
    'TemporaryFileSystem=/:ro,noexec /tmp:mode=1777,size=1G,noexec',
    `BindReadOnlyPaths=${[...SEEN_LIBRARIES, ...STARTER, ...programs, ...reads].join(' ')}`,
    ...(writes.length > 0 ? [`BindPaths=${writes.join(' ')}`] : []),
    `NoExecPaths=${['/dev', '-/run', ...[...reads, ...writes].map(placeOf)].join(' ')}`,
  ]
}

/** Returns a path in the view of the program, with the sign of an optional one. */
const placeOf = (mount: string): string => {
  const [source = '', place = source.replace(/^-/, '')] = mount.split(':')
  return source.startsWith('-') ? `-${place}` : place
}

/**
 * Returns directives of systemd.exec(5) for a program of root in an empty file system, into which
 * only the visible paths are mounted: a link that a site made, or changes meanwhile, leads nowhere.
 * It has only these capabilities.
 */
export function emptyRoot({
  reads = [],
  capabilities,
  accounts = '/etc',
  ...visible
}: EmptyRootOptions): string[] {
  const known = ['passwd', 'group'].map((name) => `-${accounts}/${name}:/etc/${name}`)
  return [
    ...onlyPrograms({ ...visible, reads: [...SYSTEM_FILES, ...known, ...reads] }),
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
    // Forbids files without a path, which no mount option forbids to execute.
    'SystemCallFilter=~memfd_create',
    'SystemCallErrorNumber=EPERM',
    'KillSignal=SIGKILL',
    'LimitCORE=0',
    'MemoryMax=2G',
    'TasksMax=128',
    ...LOW_PRIORITY,
  ]
}
