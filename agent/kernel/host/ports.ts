import type { AcmePort } from './acme-port.ts'
import type { AdminStatement } from './admin-statements.ts'
import type { Exclusion } from './exclusion.ts'
import type { FeederOutput } from './feeder-output.ts'
import type { Net } from './net-port.ts'
import type { Starts } from './root-programs.ts'
import type { Scanner } from './scanner-port.ts'
import type { HostSettings } from './settings.ts'
import type { Visitor } from './visit-port.ts'

/** All effects of the agent on a machine. Features use only a Host. */
export interface Host extends Exclusion {
  shell: Shell
  files: Files
  /** The only access to the files and tables of a tenant. */
  scanner: Scanner
  database: AdminDatabase
  net: Net
  visitor: Visitor
  acme: AcmePort
  /** systemd where it is PID 1; otherwise programs are started directly, with pid files. */
  init: 'systemd' | 'direct'
  /** False when the agent runs as an ordinary user and can only read. */
  privileged: boolean
  clock: Clock
  random: Random
  settings: HostSettings
  programs: Programs
  /** The id of the operation whose view of the machine it is. */
  operation?: string
  /** The same machine without interruption by a cancel; absent where nothing can be cancelled. */
  steady?: Host
  /** Reports a line to the viewers of the operation. Absent outside of operations. */
  tell?(line: string): void
}

export interface RunOptions {
  /** The text on standard input, before the output of `input_from`: the only way for a secret. */
  input?: string
  /** The path of a file of root as standard input, of any size. */
  input_file?: string
  /** A program whose output is the standard input, with its own rights: see Output.fed. */
  input_from?: { argv: readonly string[]; options: RunOptions }
  /** The path of a file of root for standard output: created each time, for its owner only. */
  output_file?: string
  /** Called each second with the bytes of `input_file` or `input_from`, else of `output_file`. */
  seen?(bytes: number): void
  /** The milliseconds between two calls of `seen`; 1,000 by default. */
  seen_ms?: number
  /** The site to whose system user the program is confined. Only kernel/sandbox makes one. */
  site?: SiteProcess
  /**
   * The user of a program without privileges and without the sandbox of a site: that of nginx for
   * its files, that of the mail queue, or that of a new site before anything of it runs.
   */
  user?: string
  cwd?: string
  /** The variables besides PATH, LC_ALL and HOME; programs get no others. */
  env?: Record<string, string>
  /** The agent's own by default. */
  umask?: number
  /**
   * True outside the sandbox of the agent, for a program that installs packages, needs the network
   * of the server, or inspects processes with more privileges than the agent.
   */
  unconfined?: boolean
  /** Further programs that an unconfined one starts: itself, and those of its entry. */
  starts?: Starts
  /** 10 minutes by default; then the whole process group is killed. */
  timeout_ms?: number
  /** The id of the operation that it runs for: see Programs. */
  operation?: string
  /** True for a program that survives the agent and must not be interrupted by its end: dpkg. */
  lasting?: boolean
}

/** A program that runs with the rights of one site and with no others. */
export interface SiteProcess {
  user: string
  /** The control group that holds the limits of the site: systemd.slice(5). */
  slice: string
  /** Directives of systemd.exec(5) and systemd.resource-control(5), as `Name=value`. */
  directives: readonly string[]
  /** The beginning of an argv that starts the program without systemd. */
  launcher: readonly string[]
}

/** The processes of an operation: its programs and their children, in any session. */
export interface Programs {
  signal(operation: string, name: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Counts its processes, also those of an earlier process of the agent. */
  count(operation: string): Promise<number>
  /** Counts those that belong to `lasting` programs. */
  lasting(operation: string): Promise<number>
  /** Forgets an ended operation; its remaining processes continue. */
  forget(operation: string): Promise<void>
}

export interface Output {
  code: number
  stdout: string
  stderr: string
  /** The output of `input_from`. A program that failed has no effect on `code`. */
  fed?: FeederOutput
}

/** Runs programs by argv only, on a fixed PATH, never through a shell. */
export interface Shell {
  /** Throws CommandFailed when the exit status is not 0. */
  run(argv: readonly string[], options?: RunOptions): Promise<Output>
  /** Never throws for an exit status. A program that is missing has code 127. */
  try(argv: readonly string[], options?: RunOptions): Promise<Output>
  /** Yields each line of stdout and stderr; throws CommandFailed like run. */
  stream(argv: readonly string[], options?: RunOptions): AsyncGenerator<string, void>
  bytes(argv: readonly string[], options?: RunOptions): AsyncGenerator<Uint8Array, void>
  /** Starts a daemon in a session of its own that outlives the agent; returns its pid. */
  daemon(argv: readonly string[], options: { log: string; cwd?: string }): Promise<number>
}

export interface WriteOptions {
  /** 0644 by default. */
  mode?: number
  /** Names for chown(1); root:root by default. */
  owner?: string
  group?: string
}

export interface FolderEntry {
  name: string
  kind: 'file' | 'directory' | 'link' | 'other'
}

export interface Stat {
  kind: FolderEntry['kind']
  size: number
  mode: number
  uid: number
  gid: number
  mtime_ms: number
}

/** Files of root: paths are absolute, and no component belongs to a site. */
export interface Files {
  /** Returns the text of a regular file; undefined without one. Throws over `most` bytes. */
  read(path: string, most?: number): Promise<string | undefined>
  /** Writes atomically: temporary file in the same folder, fsync, rename. Creates parents. */
  write(path: string, text: string, options?: WriteOptions): Promise<void>
  /** Appends and, with `sync`, returns only when it is on the disk. */
  append(path: string, text: string, options?: { sync?: boolean }): Promise<void>
  /** Removes a file, link or whole tree; a missing one is fine. Never follows links. */
  remove(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  mkdir(path: string, options?: WriteOptions): Promise<void>
  link(target: string, path: string): Promise<void>
  /** Returns the entries of a directory, at most `most` of them; none without a directory. */
  list(path: string, most?: number): Promise<FolderEntry[]>
  /** Returns at most `most` bytes from a position; undefined without a file. Follows no link. */
  part(path: string, from: number, most: number): Promise<Uint8Array | undefined>
  stat(path: string): Promise<Stat | undefined>
  /** Returns free and total bytes of the file system of the path. */
  space(path: string): Promise<{ free: number; total: number }>
}

/** MariaDB's local socket, as root through unix_socket authentication. */
export interface AdminDatabase {
  /** Runs one statement of the closed table: the agent runs no other SQL as root. */
  admin(statement: AdminStatement, values?: readonly unknown[]): Promise<DatabaseRow[]>
}

export type DatabaseRow = Record<string, unknown>

export type {
  DownloadOptions,
  FetchOptions,
  Net,
  ProbeRequest,
  ResolvedAddresses,
} from './net-port.ts'

export interface Clock {
  /** Returns the time of day, which may change: only for dates. */
  now(): number
  /** Returns monotonic milliseconds. */
  elapsed(): number
  sleep(ms: number): Promise<void>
}

export interface Random {
  /** Returns letters and digits from the system's random source. */
  text(length: number): string
  /** Returns lower-case letters and digits, beginning with a letter. */
  name(length: number): string
  integer(below: number): number
}
