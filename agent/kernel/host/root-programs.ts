import { PHP_VERSIONS } from '#shared/php/php-support.ts'
import type { RunOptions } from './ports.ts'

/** The entry of a program that may start anything. */
export const ANYTHING = 'anything'
/** The paths of other programs that a program starts. */
export type Starts = readonly string[] | typeof ANYTHING

/**
 * The programs that the agent starts as root in the sandbox of its service, by their names in an
 * argv. The service executes nothing else, so each of them also starts no program but these.
 */
export const INSIDE_PROGRAMS: Readonly<Record<string, string>> = {
  ...inFolder('/usr/bin', [
    'apt-cache',
    'apt-config',
    'apt-get',
    'awk',
    'cat',
    'chmod',
    'chown',
    'comm',
    'cp',
    'dpkg',
    'dpkg-deb',
    'dpkg-query',
    'du',
    'find',
    'getent',
    'gpasswd',
    'journalctl',
    'openssl',
    'realpath',
    'rm',
    'setpriv',
    'sha256sum',
    'ssh-keygen',
    'sync',
    'systemctl',
    'systemd-run',
    'tail',
    'tar',
  ]),
  ...inFolder('/usr/sbin', [
    'chpasswd',
    'groupadd',
    'groupdel',
    'nginx',
    'sshd',
    'start-stop-daemon',
    'useradd',
    'userdel',
    'usermod',
    ...PHP_VERSIONS.map((version) => `php-fpm${version}`),
  ]),
}

const ACCOUNTS = ['/usr/sbin/nscd', '/usr/sbin/sss_cache']

/**
 * The programs that these start: tar to unpack, apt its methods also to simulate, and those that
 * change accounts to forget old ones. systemd-run(1) refuses a program that it could not execute
 * itself, so every unit begins with env(1).
 */
export const STARTED_BY: Readonly<Record<string, readonly string[]>> = {
  'apt-cache': ['/usr/bin/dpkg'],
  'apt-config': ['/usr/bin/dpkg'],
  'apt-get': ['/usr/bin/dpkg', '/usr/lib/apt/methods'],
  chpasswd: ACCOUNTS,
  gpasswd: ACCOUNTS,
  groupadd: ACCOUNTS,
  groupdel: ACCOUNTS,
  'systemd-run': ['/usr/bin/env'],
  tar: ['/usr/bin/gzip'],
  useradd: ACCOUNTS,
  userdel: ACCOUNTS,
  usermod: ACCOUNTS,
}

/** The programs that the agent starts as root in units of their own only, with what each starts. */
const OUTSIDE_PROGRAMS: Readonly<Record<string, { path: string; starts: Starts }>> = {
  // Packages have scripts.
  'apt-get': { path: '/usr/bin/apt-get', starts: ANYTHING },
  dpkg: { path: '/usr/bin/dpkg', starts: ANYTHING },
  // Caddy is often installed without a package.
  caddy: { path: '/usr/bin/caddy', starts: ['/usr/local/bin/caddy'] },
  grep: { path: '/usr/bin/grep', starts: [] },
  ln: { path: '/usr/bin/ln', starts: [] },
  logrotate: { path: '/usr/sbin/logrotate', starts: ['/usr/bin/gzip'] },
  nginx: { path: '/usr/sbin/nginx', starts: [] },
  realpath: { path: '/usr/bin/realpath', starts: [] },
  setpriv: { path: '/usr/bin/setpriv', starts: [] },
  setquota: { path: '/usr/sbin/setquota', starts: [] },
  ss: { path: '/usr/bin/ss', starts: [] },
  'start-stop-daemon': { path: '/usr/sbin/start-stop-daemon', starts: [] },
}

/** The shared libraries of Debian, by its name for the machine, with the loader of programs. */
export const LIBRARIES = [
  { folder: '/usr/lib/x86_64-linux-gnu', loader: '/lib64/ld-linux-x86-64.so.2' },
  { folder: '/usr/lib/aarch64-linux-gnu', loader: '/lib/ld-linux-aarch64.so.1' },
]
/** The folders of the modules of nginx and PHP, which those load as root. */
const MODULES = ['/usr/lib/nginx', '/usr/lib/php']
const SYSTEM = /^\/usr\/(s?bin|lib)\//

/** The directories with mount flags of their own in the sandbox, whether or not `/` may execute. */
const MOUNTS = ['/dev/shm', '/dev/mqueue', '/dev/hugepages', '/tmp', '/var/tmp', '/run/user']

/**
 * Returns the directives of the service of the agent, whose own program this is: only the table can
 * be executed. `writable` are the paths of ReadWritePaths=, which are mounts of their own.
 */
export function executeInsideDirectives(own: string, writable: readonly string[]): string[] {
  const paths = [
    ...new Set([
      own,
      ...Object.values(INSIDE_PROGRAMS),
      ...Object.values(STARTED_BY).flat(),
      ...librariesOf('/usr/bin/env'),
    ]),
  ]
  const [anywhere, allowed] = executeOnly(paths)
  return [
    `${anywhere} ${optional([...writable, ...MOUNTS])}`,
    `${allowed}`,
    // The mounts of ExecPaths= alone would be writable, whatever ProtectSystem= says.
    `BindReadOnlyPaths=${optional(paths)}`,
    // Forbids files without a path, which no mount option forbids to execute.
    'SystemCallFilter=~memfd_create',
  ]
}

/** Returns the path of a program that is started in the sandbox. Throws for any other. */
export function pathInside(program: string, own: string): string {
  const path = Object.hasOwn(INSIDE_PROGRAMS, program) ? INSIDE_PROGRAMS[program] : program
  if (path !== undefined && (path === own || Object.values(INSIDE_PROGRAMS).includes(path)))
    return path
  throw new Error(`${program} is not one of the programs that the agent starts as root`)
}

/** Returns the programs that this one starts in the sandbox of the agent. */
export function startedInside(path: string): readonly string[] {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return (
    (Object.hasOwn(STARTED_BY, name) && INSIDE_PROGRAMS[name] === path && STARTED_BY[name]) || []
  )
}

/** Throws for a program that the shell of a sandboxed agent refuses. */
export function refuseUnknown(
  [program = '']: readonly string[],
  { site, unconfined }: Pick<RunOptions, 'site' | 'unconfined'>,
  own: string,
): void {
  if (site) return
  if (unconfined) executeDirectives(program)
  else pathInside(program, own)
}

/**
 * Returns the directives of a unit that executes only this program and what it starts. A program
 * with a path runs on this server already, or was installed by the agent. Throws for a name that is
 * not in the table.
 */
export function executeDirectives(program: string, more: Starts = []): string[] {
  const known = Object.hasOwn(OUTSIDE_PROGRAMS, program) ? OUTSIDE_PROGRAMS[program] : undefined
  if (!known && !program.startsWith('/'))
    throw new Error(`${program} is not one of the programs that the agent starts as root`)
  const { path, starts } = known ?? { path: program, starts: [] }
  if (starts === ANYTHING || more === ANYTHING) return []
  return executeOnly(['/usr/bin/env', path, ...starts, ...more, ...librariesOf(path)])
}

/** Returns directives of systemd.exec(5) that forbid everything else. Leaves out missing paths. */
const executeOnly = (paths: readonly string[]): string[] => [
  'NoExecPaths=/',
  `ExecPaths=${optional(paths)}`,
]

const optional = (paths: readonly string[]) => paths.map((path) => `-${path}`).join(' ')

/** Returns the folders of libraries, for a program of others also those beside it. */
function librariesOf(program: string): string[] {
  const debian = [...LIBRARIES.map(({ folder }) => folder), ...MODULES]
  if (SYSTEM.test(program)) return debian
  const folder = program.split('/').slice(0, -2).join('/')
  return [...debian, ...new Set(['/usr/local', '/opt', ...(folder === '' ? [] : [folder])])]
}

function inFolder(folder: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `${folder}/${name}`]))
}
