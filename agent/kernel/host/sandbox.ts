/** The group whose members alone may connect to the working half: the listening half. */
export const AGENT_GROUP = 'hosting-agent'

/**
 * The user of the listening half. A dynamic one would have the name of its unit, which a user of
 * the server could have, too; an agent with that unit still runs when an upgrade creates this user.
 */
export const FRONT_USER = 'hosting-front'

/** The directive for a program that runs once: systemd makes a user without a fixed name for it. */
export const DYNAMIC_USER = 'DynamicUser=yes'

/** The directives of systemd.exec(5) for every process of the agent. */
const COMMON_DIRECTIVES = [
  'NoNewPrivileges=yes',
  'ProtectSystem=strict',
  'PrivateTmp=yes',
  'PrivateDevices=yes',
  'DevicePolicy=closed',
  'PrivateMounts=yes',
  'ProtectClock=yes',
  'ProtectHostname=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'ProtectControlGroups=yes',
  'LockPersonality=yes',
  'RestrictRealtime=yes',
  'RestrictNamespaces=yes',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service',
  'SystemCallErrorNumber=EPERM',
  'KeyringMode=private',
  'RemoveIPC=yes',
]

/** The directives for programs with network access: no capability, no other processes, no user. */
export const UNPRIVILEGED: readonly string[] = [
  ...COMMON_DIRECTIVES,
  'PrivateUsers=yes',
  'ProtectHome=yes',
  'ProtectProc=invisible',
  'ProcSubset=pid',
  'RestrictSUIDSGID=yes',
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6',
  'SystemCallFilter=~@privileged @resources',
  'CapabilityBoundingSet=',
  'UMask=0077',
  // Measured: 57 MB at rest, 125 MB with 2,000 hostile connections.
  'MemoryMax=256M',
  'TasksMax=64',
  // Otherwise Bun may start a thread for each core.
  'Environment=UV_THREADPOOL_SIZE=4',
]

/** The folders of the server that the working half changes. */
export const WRITABLE = ['/etc', '/srv', '/var', '/run', '/usr/local']

/**
 * The directives of the working half: no network, and of root's rights only those over files, users
 * and processes. RestrictSUIDSGID is missing because folders of sites pass on their group.
 */
export const ROOT_HALF: readonly string[] = [
  ...COMMON_DIRECTIVES,
  `ReadWritePaths=${WRITABLE.map((path) => `-${path}`).join(' ')}`,
  'ProtectHome=read-only',
  'PrivateNetwork=yes',
  'IPAddressDeny=any',
  'RestrictAddressFamilies=AF_UNIX',
  'CapabilityBoundingSet=CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_FSETID CAP_SETUID CAP_SETGID CAP_SETPCAP CAP_KILL',
  'UMask=0022',
  // Each operation has a control group below the agent's, and none outlives the agent.
  'Delegate=yes',
  'KillMode=mixed',
  // The limit includes its programs: dumps, archives, digests. Package installations are not.
  'MemoryMax=1G',
  'TasksMax=512',
  // A program that exceeds its memory is killed alone, and its operation fails.
  'OOMPolicy=continue',
]

/**
 * The directives of the reader of tenants' sites (`hosting-agent scan`): no network, a read-only
 * file system without the agent's files, and only the right to become another user. It becomes the
 * user of each site before it opens a file there, and then has no capability.
 */
export const SCANNER: readonly string[] = [
  ...COMMON_DIRECTIVES,
  // Without User=root, with which systemd 257 takes CAP_SETUID from programs with NoNewPrivileges.
  'CapabilityBoundingSet=CAP_SETUID CAP_SETGID',
  'PrivateNetwork=yes',
  'PrivateIPC=yes',
  'ProtectProc=invisible',
  'ProcSubset=pid',
  'RestrictSUIDSGID=yes',
  'RestrictAddressFamilies=AF_UNIX',
  'IPAddressDeny=any',
  'InaccessiblePaths=-/var/lib/hosting-agent -/run/hosting-agent -/etc/hosting -/etc/hosting-agent',
  'InaccessiblePaths=-/run/dbus -/run/systemd/private -/var/lib/mysql -/var/backups -/root',
  'MemoryMax=256M',
  'MemorySwapMax=0',
  'TasksMax=32',
  'CPUWeight=20',
  'IOWeight=20',
  'LimitNOFILE=1024',
  'LimitCORE=0',
  'LimitFSIZE=0',
  'UMask=0077',
]
