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
]
