import type { AcmePort } from './acme-port.ts'
import type { AdminStatement } from './admin-statements.ts'
import type { Fed } from './fed.ts'
import type { Net } from './net-port.ts'
import type { Starts } from './root-programs.ts'
import type { Scanner } from './scanner-port.ts'
import type { HostSettings } from './settings.ts'
import type { Turns } from './turns.ts'
import type { Visitor } from './visit-port.ts'

/**
 * Everything the agent can do to a machine. Commands and os/ use only a Host, so that a test's machine
 * is a map and a list.
 */
export interface Host extends Turns {
  shell: Shell
  files: Files
  /** The only access to the files and tables of a tenant. */
  scanner: Scanner
  database: Database
  net: Net
  visitor: Visitor
  acme: AcmePort
  /**
   * systemd where it is PID 1; otherwise programs are started directly, with pid files. Only the port
   * of services (os/services/) and host/real decide by it.
   */
  init: 'systemd' | 'direct'
  /** False: the agent runs as an ordinary user and can only read. */
  privileged: boolean
  clock: Clock
  random: Random
  settings: HostSettings
  programs: Programs
  /** The id of the operation whose view of the machine it is. */
  operation?: string
  /**
   * The same machine for a restoration in the middle of a step: a cancel does not interrupt it.
   * Absent where nothing can be cancelled.
   */
  steady?: Host
  /** A line for the viewers of the operation that uses this host. Absent outside of operations. */
  tell?(line: string): void
}

export interface RunOptions {
  /** Passed on standard input: the only way for a secret. Before the output of `input_from`. */
  input?: string
  /** A file of root as standard input, of any size. */
  input_file?: string
  /**
   * Standard input is the output of this program, which ends before it: see Output.fed. It may be
   * fed by another one, and each has its own rights.
   */
  input_from?: { argv: readonly string[]; options: RunOptions }
  /** A file of root for standard output: created each time, readable by its owner only. */
  output_file?: string
  /** Called each second: the bytes of `input_file` or `input_from` that it has, else of `output_file`. */
  seen?(bytes: number): void
  /** Milliseconds between two calls of `seen`: 1,000. */
  seen_ms?: number
  /** Runs as a system user of a site, confined to it. Only kernel/sandbox makes one. */
  site?: SiteProcess
  /**
   * Runs as this user, without privileges and without the sandbox of a site: the user of nginx on its
   * files, that of the mail queue, or that of a new site before anything of it runs.
   */
  user?: string
  cwd?: string
  /** Added to PATH, LC_ALL and HOME; programs get no other variables. */
  env?: Record<string, string>
  /** Default: the agent's own. */
  umask?: number
  /**
   * Runs outside the sandbox of the agent: it installs packages, needs the network of the server,
   * or inspects processes with more privileges than the agent.
   */
  unconfined?: boolean
  /**
   * Further programs that an unconfined one starts. It executes nothing but itself, and what its entry
   * in the table of root-programs.ts has.
   */
  starts?: Starts
  /** Default 10 minutes; then the whole process group is killed. */
  timeout_ms?: number
  /** The id of the operation that it runs for: see Programs. */
  operation?: string
  /** Survives the agent and must not be interrupted by its end: dpkg. */
  lasting?: boolean
}

/** A program that runs with the rights of one site and with no others. */
export interface SiteProcess {
  user: string
  /** The control group that holds the limits of the site: systemd.slice(5). */
  slice: string
  /** Directives of systemd.exec(5) and systemd.resource-control(5), as `Name=value`. */
  directives: readonly string[]
  /** Starts the program without systemd: the beginning of an argv. */
  launcher: readonly string[]
}

/** The processes of an operation: its programs and their children, in any session. */
export interface Programs {
  signal(operation: string, name: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** The number of its processes, also from an earlier process of the agent. */
  count(operation: string): Promise<number>
  /** The number of them that belong to `lasting` programs. */
  lasting(operation: string): Promise<number>
  /** For an ended operation; its remaining processes continue. */
  forget(operation: string): Promise<void>
}

export interface Output {
  code: number
  stdout: string
  stderr: string
  /** The output of `input_from`. A program that failed has no effect on `code`. */
  fed?: Fed
}

/** argv only; programs are found on a fixed PATH; there is never a shell in between. */
export interface Shell {
  /** Throws CommandFailed when the exit status is not 0. */
  run(argv: readonly string[], options?: RunOptions): Promise<Output>
  /** Never throws for an exit status. A program that is missing has code 127. */
  try(argv: readonly string[], options?: RunOptions): Promise<Output>
  /** Yields each line of stdout and stderr, or stdout in bytes; throws CommandFailed like run. */
  stream(argv: readonly string[], options?: RunOptions): AsyncGenerator<string, void>
  bytes(argv: readonly string[], options?: RunOptions): AsyncGenerator<Uint8Array, void>
  /** Starts a daemon in a session of its own that outlives the agent; returns its pid. */
  daemon(argv: readonly string[], options: { log: string; cwd?: string }): Promise<number>
}

export interface WriteOptions {
  /** Default 0644. */
  mode?: number
  /** Names, as chown(1) takes them; default root:root. */
  owner?: string
  group?: string
}

export interface Entry {
  name: string
  kind: 'file' | 'directory' | 'link' | 'other'
}

export interface Stat {
  kind: Entry['kind']
  size: number
  mode: number
  uid: number
  gid: number
  mtime_ms: number
}

/** Root-owned files: paths are absolute, and no component belongs to a site. */
export interface Files {
  /** Text of a regular file, undefined when there is none. Throws over `most` bytes (default 1 MiB). */
  read(path: string, most?: number): Promise<string | undefined>
  /** Atomic and synced: temporary file in the same folder, fsync, rename. Makes missing parents 0755. */
  write(path: string, text: string, options?: WriteOptions): Promise<void>
  /** Appends and, with `sync`, returns only when it is on the disk. */
  append(path: string, text: string, options?: { sync?: boolean }): Promise<void>
  /** Removes a file, link or whole tree; a missing one is fine. Never follows links. */
  remove(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  mkdir(path: string, options?: WriteOptions): Promise<void>
  link(target: string, path: string): Promise<void>
  /** The entries of a directory, at most `most` of them; none if there is no directory. */
  list(path: string, most?: number): Promise<Entry[]>
  /**
   * At most `most` bytes of a regular file from a place on; undefined when there is none. Never
   * follows a link at the path.
   */
  part(path: string, from: number, most: number): Promise<Uint8Array | undefined>
  stat(path: string): Promise<Stat | undefined>
  /** Free and total bytes of the file system that holds the path. */
  space(path: string): Promise<{ free: number; total: number }>
}

/** MariaDB's local socket, as root through unix_socket authentication. */
export interface Database {
  /** One statement of the closed table: the agent runs no other SQL as root. */
  admin(statement: AdminStatement, values?: readonly unknown[]): Promise<Row[]>
}

export type Row = Record<string, unknown>

export type { Downloading, Fetching, Net, Probe, Resolved } from './net-port.ts'

export interface Clock {
  /** The time of day, which may change: only for dates. */
  now(): number
  /** Monotonic milliseconds: unaffected by clock changes. */
  elapsed(): number
  sleep(ms: number): Promise<void>
}

export interface Random {
  /** Letters and digits from the system's random source. */
  text(length: number): string
  /** Lower-case letters and digits, beginning with a letter. */
  name(length: number): string
  integer(below: number): number
}
