import { CommandFailed } from '#agent/kernel/host/errors.ts'
import type { Host, RunOptions } from '#agent/kernel/host/ports.ts'
import { isDiskFull } from '#agent/kernel/host/storage.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import { ServiceError } from '#shared/kernel/errors.ts'

export const APT = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Dpkg::Options::=--force-confold']
export const INSTALL = ['install', '-y', '-q', '--no-install-recommends']
/** The options of queries: apt caches its lists, and a query must not change that cache. */
export const READ_ONLY = [
  '-o',
  'Dir::Cache::pkgcache=',
  '-o',
  'Dir::Cache::srcpkgcache=',
  '-o',
  'Debug::NoLocking=true',
]
export const APT_OPTIONS = {
  env: { DEBIAN_FRONTEND: 'noninteractive' },
  unconfined: true,
  lasting: true,
}

/** Completes an interrupted dpkg run: until then apt refuses everything. */
export async function repairDpkg({ files, shell }: Host): Promise<void> {
  if ((await files.list('/var/lib/dpkg/updates')).length === 0) return
  await shell.try(['dpkg', '--force-confold', '--configure', '-a'], APT_OPTIONS)
}

/** Removes terminal progress and the source of each package. */
async function* withoutProgress(lines: AsyncGenerator<string, void>): Progress<void> {
  for await (const line of lines) {
    if (line.trim() !== '' && !/^(\(Reading database|Get:\d|[NW]: | {2})/.test(line)) yield line
  }
}

/** Runs apt-get(8). A failure has the code `packages_failed`, the reasons of apt, and what to do. */
export async function* runApt(
  { shell }: Host,
  args: readonly string[],
  options: RunOptions = APT_OPTIONS,
): Progress<void> {
  try {
    yield* withoutProgress(shell.stream(['apt-get', ...APT, ...args], options))
  } catch (error) {
    throw error instanceof CommandFailed ? packagesFailed(error) : error
  }
}

/** The messages of apt with what to do; the first one that matches counts. */
const REMEDIES: readonly [RegExp, string][] = [
  [
    /could not get lock|unable to (acquire|lock)|waiting for cache lock/i,
    'Another program installs packages on this server: wait until it has ended',
  ],
  [
    /dpkg was interrupted/i,
    'An installation was interrupted: run "dpkg --configure -a" as root on this server',
  ],
  [
    /GPG error|NO_PUBKEY|is not signed|EXPKEYSIG|signatures? (couldn't|could not|were invalid)/i,
    'apt does not trust a package source: correct its key in /etc/apt on this server',
  ],
  [
    /Release file .*(not valid yet|expired)/i,
    'The clock of this server is wrong, or the package source is not maintained: correct it',
  ],
  [
    /unable to locate package|no installation candidate|couldn't find any package/i,
    'No package source has the package: complete the sources in /etc/apt on this server',
  ],
  [
    /need to be removed|remove is disabled|unmet dependencies|held broken packages/i,
    'It conflicts with an installed package: correct that as root on this server with apt-get',
  ],
  [
    /failed to fetch|unable to fetch|unable to connect|could not (resolve|connect)|failure resolving|connection (failed|timed out)|404 {2}Not Found/i,
    'This server cannot read its package sources: check its network, and /etc/apt',
  ],
  [
    /returned an error code|sub-process \S*dpkg/i,
    'A program of a package failed: see /var/log/apt/term.log on this server, correct the cause',
  ],
]
const DEFAULT_REMEDY = 'Run "apt-get check" as root on this server, and correct what it reports'
const FREE_SPACE = 'Free some space on this server'

/** Returns the error; a full disk has a code and a remedy of its own. */
function packagesFailed(cause: CommandFailed): Error {
  const { stdout, stderr, code } = cause.output
  const text = stderr.trim() || stdout.trim()
  if (isDiskFull(text)) return cause
  const isFull = /enough free space/i.test(text)
  const known = REMEDIES.find(([pattern]) => pattern.test(text))?.[1] ?? DEFAULT_REMEDY
  const reason = reasonIn(text) || `it ended with status ${code}`
  const message = `apt-get failed: ${reason}. ${isFull ? FREE_SPACE : known}, then choose Retry`
  const refusal = isFull ? 'disk_full' : 'packages_failed'
  return new ServiceError('internal', { message, refusal, cause })
}

/** Returns the errors of apt; without any, the last line of it or of dpkg. */
function reasonIn(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  const errors = lines.filter((line) => /^(E|dpkg: error[^:]*): ?/.test(line))
  const reasons = errors.length > 0 ? errors : lines.slice(-1)
  const plain = reasons.map((line) => line.replace(/^E: /, '').replace(/\.$/, ''))
  return [...new Set(plain)].join('; ').slice(0, 500)
}

export async function* update(host: Host): Progress<void> {
  yield 'Reading the package lists'
  yield* runApt(host, ['update', '-q'])
}

/** Runs work with apt exclusively, and completes dpkg's part of failed work. */
export async function* withApt(host: Host, work: () => Progress<void>): Progress<void> {
  const release = await new Promise<() => void>((resolve, reject) => {
    host.exclusive('apt', () => new Promise<void>((free) => resolve(free))).catch(reject)
  })
  try {
    yield* work()
  } catch (error) {
    await repairDpkg(host.steady ?? host)
    throw error
  } finally {
    release()
  }
}
