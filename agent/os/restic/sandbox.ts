import type { SiteProcess } from '#agent/host/ports.ts'

/** Where restic finds the files of its repository: see repository.ts. */
export const MOUNT = '/run/backup'
export const CACHE = '/cache'

/** The folders of the server that restic sees, by their path in its view. */
export interface View {
  /** The files of its repository. */
  files: string
  cache: string
  program: string
  /** A folder that it saves: it may read all of it, whoever owns it. */
  reads?: { path: string; as: string }
  /** A folder that it restores to, with owners and modes. */
  writes?: { path: string; as: string }
  /** A folder that holds repositories. */
  store?: string | undefined
}

const SYSTEM = [
  ...['/usr', '-/bin', '-/sbin', '-/lib', '-/lib64'],
  ...['-/etc/ssl', '-/etc/ssh', '-/etc/resolv.conf', '-/etc/hosts', '-/etc/nsswitch.conf'],
  ...['-/etc/host.conf', '-/etc/gai.conf', '-/etc/passwd', '-/etc/group'],
]

const READER = 'CAP_DAC_READ_SEARCH'
const WRITER = 'CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_FSETID'

/**
 * Runs restic as root with an empty file system, into which only the folders of `view` are mounted:
 * a link that a site made or changed while it is read leads nowhere, and a restore writes nowhere
 * else. It has no right but to read, or to write and to give files their owners.
 */
export function resticProcess({ files, cache, program, reads, writes, store }: View): SiteProcess {
  const capabilities = writes ? WRITER : READER
  const visible = [...SYSTEM, program, `${files}:${MOUNT}`]
  if (reads) visible.push(`${reads.path}:${reads.as}`)
  const written = [`${cache}:${CACHE}`]
  if (writes) written.push(`${writes.path}:${writes.as}`)
  if (store !== undefined) written.push(store)
  return {
    user: 'root',
    slice: 'system.slice',
    directives: [
      'TemporaryFileSystem=/:ro /tmp:mode=1777,size=1G',
      `BindReadOnlyPaths=${visible.join(' ')}`,
      `BindPaths=${written.join(' ')}`,
      'MountAPIVFS=yes',
      'PrivateDevices=yes',
      `CapabilityBoundingSet=${store === undefined ? capabilities : `${capabilities} CAP_DAC_OVERRIDE`}`,
      'NoNewPrivileges=yes',
      'PrivateIPC=yes',
      'ProtectProc=invisible',
      'ProtectClock=yes',
      'ProtectHostname=yes',
      'ProtectKernelModules=yes',
      'ProtectKernelLogs=yes',
      'ProtectKernelTunables=yes',
      'ProtectControlGroups=yes',
      'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
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
      'Nice=10',
      'CPUWeight=20',
      'IOWeight=20',
    ],
    launcher: [],
  }
}
