import { CACHES, CONFIGURATION, HOMES, homeOf } from '#agent/kernel/site/paths.ts'
import { RUN_FOLDERS } from '#agent/kernel/site/run-folders.ts'
import { ETC_FOLDERS, HIDDEN_IN_ETC } from '#agent/kernel/site-etc/names.ts'
import { ownEtcOf, SHARED_ETC } from '#agent/kernel/site-etc/paths.ts'
import { unit } from '#shared/kernel/formats/systemd.ts'

/**
 * The folders hidden from every program of a site: the agent, other sites (also the names of their
 * files, units and databases), and account services. They exist on every provisioned server:
 * systemd would create a missing one.
 */
const HIDDEN_FOLDERS = [
  '/var/lib/mysql',
  '/var/lib/nginx',
  '/var/lib/logrotate',
  '/var/lib/systemd',
  CACHES,
  '/var/backups',
  '/var/spool',
]

/** Optional hidden paths. */
const HIDDEN_OPTIONAL = [
  ...HIDDEN_IN_ETC,
  '/var/lib/sss',
  '/sys/fs/cgroup',
  '/proc/kallsyms',
  '/proc/kcore',
]

/** The empty folder of root, with mode 000, that systemd mounts over inaccessible folders. */
const NO_FOLDER = '/run/systemd/inaccessible/dir'

/**
 * Hides folders by bind mounts. They have the same effect as InaccessiblePaths=, for which systemd
 * reads the list of all mounts three times: on Debian 12, 15 folders take 35 ms of the 142 ms that
 * a sandbox costs.
 */
function hideDirectives(ready: boolean): string[] {
  const bound = HIDDEN_FOLDERS.map((path) => `${NO_FOLDER}:${path}:norbind`)
  const optional = ready ? HIDDEN_OPTIONAL : [...HIDDEN_FOLDERS, ...HIDDEN_OPTIONAL]
  return [
    ...(ready ? [`BindPaths=${bound.join(' ')}`] : []),
    `InaccessiblePaths=${optional.map((path) => `-${path}`).join(' ')}`,
  ]
}

/**
 * The visible entries of /run: MariaDB, its object cache and its page cache. Neither the sockets of
 * systemd, its journal and its varlink services, nor those of other programs, nor who is logged in.
 * Each folder exists from the boot on: see RUN_FOLDERS.
 */
const VISIBLE_IN_RUN = ['/run/mysqld', ...RUN_FOLDERS.map(({ path }) => path)]
/** The socket on which a session reports that it lives, before systemd ends it. */
const NOTIFY = '/run/systemd/notify'

/** The world-writable folders of the machine, of which each site has its own. */
const PRIVATE_FOLDERS = ['/dev/shm:mode=1777', '/run/lock:mode=1777']

/** The terminals, which sites do not have: one site could use up all of the server. */
const TERMINALS = '-/dev/ptmx -/dev/pts'

interface SandboxOptions {
  /** False when the site's own folder is hidden, too; true by default. */
  home?: boolean
  /** False when the server is not ready for sites; true by default. */
  ready?: boolean
  /** True when it may open terminals; false by default. */
  terminals?: boolean
  /** True when it reports its state to systemd; false by default. */
  notify?: boolean
}

/**
 * Returns directives of systemd.exec(5) for everything that runs as a site: its PHP-FPM, jobs,
 * wp-cli, dumps and imports. No way to gain privileges, no view of other sites, a file system that
 * is read-only except for the site's own folder, and an /etc for sites. mkdir may set the
 * set-group-ID bit (WordPress copies the mode of the parent folder): no RestrictSUIDSGID. All of
 * /proc and /sys is read-only: more than ProtectKernelTunables=, with two mounts instead of a
 * dozen. SocketBindDeny= needs a systemd with BPF_FRAMEWORK, as that of Debian 13: elsewhere it has
 * no effect.
 */
export function sandboxOf(
  user: string,
  { home: withHome = true, ready = true, terminals = false, notify = false }: SandboxOptions = {},
): string[] {
  const home = homeOf(user)
  const inRun = [...VISIBLE_IN_RUN, ...(notify ? [NOTIFY] : [])]
  return [
    unit`User=${user}`,
    unit`Group=${user}`,
    'NoNewPrivileges=yes',
    'CapabilityBoundingSet=',
    'ProtectSystem=strict',
    'ProtectHome=yes',
    ...(withHome ? [unit`ReadWritePaths=${home}`] : []),
    `TemporaryFileSystem=${HOMES}:ro /var/log:ro ${CONFIGURATION}:ro /var/lib/hosting-agent:ro`,
    `TemporaryFileSystem=/run:ro,mode=755 ${PRIVATE_FOLDERS.join(' ')}`,
    `BindReadOnlyPaths=${inRun.map((path) => `-${path}`).join(' ')}`,
    ...(terminals ? [] : [`InaccessiblePaths=${TERMINALS}`]),
    ...(withHome ? [unit`BindPaths=${home}`] : []),
    unit`BindReadOnlyPaths=${SHARED_ETC}:/etc ${ownEtcOf(user)}`,
    `BindReadOnlyPaths=${ETC_FOLDERS.map((name) => `-/etc/${name}`).join(' ')}`,
    ...hideDirectives(ready),
    'ReadOnlyPaths=/proc /sys',
    'PrivateTmp=yes',
    'PrivateDevices=yes',
    'PrivateIPC=yes',
    'ProtectProc=invisible',
    'ProtectClock=yes',
    'ProtectHostname=yes',
    'ProtectKernelModules=yes',
    'ProtectKernelLogs=yes',
    'ProtectControlGroups=yes',
    'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
    'SocketBindDeny=any',
    'RestrictNamespaces=yes',
    'RestrictRealtime=yes',
    'LockPersonality=yes',
    'KeyringMode=private',
    'LimitNOFILE=16384',
    'SystemCallArchitectures=native',
    'SystemCallFilter=@system-service',
    'SystemCallFilter=~@debug process_vm_readv process_vm_writev',
    'SystemCallFilter=~io_uring_setup io_uring_enter io_uring_register',
    'SystemCallErrorNumber=EPERM',
  ]
}

/**
 * Returns directives for programs that only read, without write access, sockets or child processes.
 * A site that this agent did not create can lie anywhere; under /srv/www it sees its own folder
 * only.
 */
export function readOnlySandboxOf(user: string, site: { own: boolean; docroot: string }): string[] {
  const [folder] = /^\/srv\/www\/[\w.-]+(?=\/|$)/.exec(site.docroot) ?? []
  // Only sites of this agent have an /etc of their own.
  const open = site.own ? [] : ['Group=', 'ProtectHome=', 'BindReadOnlyPaths=']
  return [
    ...sandboxOf(user, { home: false, ready: site.own }).filter(
      (directive) => !open.some((beginning) => directive.startsWith(beginning)),
    ),
    ...(site.own ? [] : ['InaccessiblePaths=-/root']),
    ...(folder === undefined ? [] : [unit`BindReadOnlyPaths=${folder}`]),
    'PrivateNetwork=yes',
    'IPAddressDeny=any',
    'SystemCallFilter=~socket socketpair fork vfork clone clone3',
  ]
}
