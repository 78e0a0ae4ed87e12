import { mkdir, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PROGRAM } from '#dashboard/kernel/runtime/program-paths.ts'
import type { BackupPlace } from '#shared/backups/backup.ts'
import type { Allowed } from './confine.ts'
import { runProgram } from './run-program.ts'

const LOADER_CACHE = '/etc/ld.so.cache'
/** The files that names, certificates and the time of day need. */
const SYSTEM = [
  LOADER_CACHE,
  '/etc/resolv.conf',
  '/run/systemd/resolve',
  '/etc/hosts',
  '/etc/nsswitch.conf',
  '/etc/gai.conf',
  '/etc/host.conf',
  '/etc/passwd',
  '/etc/group',
  '/etc/ssl',
  '/usr/share/ca-certificates',
  '/usr/local/share/ca-certificates',
  '/etc/localtime',
  '/usr/share/zoneinfo',
  '/dev/urandom',
]
const PATH = '/usr/local/bin:/usr/bin:/bin'
const DNS = 53
const MAX_DATA = 2 ** 30
/** A library in the output of the loader, such as `libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x…)`. */
const LIBRARY = /(\/\S+) \(0x/g

/**
 * Returns the argv of a restic that can execute nothing but itself, and ssh(1) for SFTP, and that
 * sees nothing of this machine but its own files, the folder of a local target, and what names and
 * certificates need.
 */
export async function confinedRestic(
  program: string,
  { place, folder }: { place: BackupPlace; folder: string },
): Promise<string[]> {
  const temporary = join(folder, 'tmp')
  await mkdir(temporary, { recursive: true, mode: 0o700 })
  return confinedArgv(program, {
    starts: place.kind === 'sftp' ? [installedPath('ssh', 'openssh-client')] : [],
    reads: [...SYSTEM, folder],
    writes: ['/dev/null', temporary, ...(place.kind === 'local' ? [place.path] : [])],
    ports: [DNS, ...portOf(place)],
  })
}

/**
 * Returns the argv of a program of Debian, with its arguments, that can execute nothing but itself,
 * reads one file, writes to its standard output only, and has no network.
 */
export async function confinedReader(
  [name = '', ...args]: readonly string[],
  file: string,
): Promise<string[]> {
  const program = installedPath(name, name)
  const view = { starts: [], reads: [LOADER_CACHE, file], writes: [], ports: [] }
  return [...(await confinedArgv(program, view)), ...args]
}

interface ConfinedView {
  /** Other programs that it may execute. */
  starts: readonly string[]
  reads: readonly string[]
  writes: readonly string[]
  /** The TCP ports to which it may connect, where the kernel can limit them. */
  ports: readonly number[]
}

async function confinedArgv(program: string, view: ConfinedView): Promise<string[]> {
  const programs = [program, ...view.starts]
  const libraries = (await Promise.all(programs.map(librariesOf))).flat()
  const allowed: Allowed = {
    runs: [...programs, ...libraries.filter((path) => /\/ld-[^/]*$/.test(path))],
    reads: [...libraries, ...(await nameServices(libraries)), ...view.reads],
    writes: [...view.writes],
    ports: [...view.ports],
    max_data: MAX_DATA,
  }
  return [...PROGRAM, 'confined', JSON.stringify(allowed), program]
}

function installedPath(name: string, name_of_package: string): string {
  const found = Bun.which(name, { PATH })
  if (found) return found
  throw new Error(
    `${name} is not installed on the machine of the dashboard: install ${name_of_package}`,
  )
}

/** Returns the libraries of a program as the loader finds them; the program does not run. */
async function librariesOf(program: string): Promise<string[]> {
  const { stdout } = await runProgram(['env', 'LD_TRACE_LOADED_OBJECTS=1', program])
  return [...stdout.matchAll(LIBRARY)].map(([, path = '']) => path)
}

/** Returns the libraries that libc loads by nsswitch.conf(5). */
async function nameServices(libraries: readonly string[]): Promise<string[]> {
  const libc = libraries.find((path) => path.endsWith('/libc.so.6'))
  if (libc === undefined) return []
  const names = await readdir(dirname(libc)).catch(() => [])
  return names
    .filter((name) => /^libnss_|^libresolv\./.test(name))
    .map((name) => join(dirname(libc), name))
}

function portOf(place: BackupPlace): number[] {
  if (place.kind === 'local') return []
  return [place.kind === 'sftp' ? place.port : Number(new URL(place.url).port || 443)]
}
