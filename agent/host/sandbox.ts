/** Its members may talk to the half of the agent that works: the other half, and nobody else. */
export const GROUP = 'hosting-agent'

/** Directives of systemd.exec(5) for every process of the agent. */
const COMMON = [
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

/** For what speaks with the network: no user, no capability, no view of anything but itself. */
export const UNPRIVILEGED: readonly string[] = [
  ...COMMON,
  'DynamicUser=yes',
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

/**
 * For the half that works: no network at all, and of root's powers those over files, users and
 * processes. Not here: RestrictSUIDSGID, since the folders of sites hand their group on.
 */
export const ROOT_HALF: readonly string[] = [
  ...COMMON,
  'ReadWritePaths=/etc /srv /var /run -/usr/local',
  'ProtectHome=read-only',
  'PrivateNetwork=yes',
  'IPAddressDeny=any',
  'RestrictAddressFamilies=AF_UNIX',
  'CapabilityBoundingSet=CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_FSETID CAP_SETUID CAP_SETGID CAP_SETPCAP CAP_KILL',
  'UMask=0022',
  // Each operation has a control group below the agent's own, and none outlives the agent.
  'Delegate=yes',
  'KillMode=mixed',
  // Its programs count too: dumps, archives, digests. Packages are installed outside of it.
  'MemoryMax=1G',
  'TasksMax=512',
  // A program that takes too much ends alone, and its operation fails.
  'OOMPolicy=continue',
]

/**
 * For what reads the sites of tenants (`hosting-agent scan`): no network, a file system that is
 * read-only and without the agent's own files, and no power but to become another user. It takes that
 * of each site before it opens anything there, and then has no capability at all.
 */
export const SCANNER: readonly string[] = [
  ...COMMON,
  // Not User=root, with which systemd 257 takes CAP_SETUID away from what has NoNewPrivileges.
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
