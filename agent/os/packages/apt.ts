import type { Host } from '#agent/host/ports.ts'
import type { Progress } from '#agent/steps/command.ts'

export const APT = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Dpkg::Options::=--force-confold']
export const INSTALL = ['install', '-y', '-q', '--no-install-recommends']
/** apt caches its lists; a query must not change that cache. */
export const READ_ONLY = [
  ...['-o', 'Dir::Cache::pkgcache=', '-o', 'Dir::Cache::srcpkgcache='],
  ...['-o', 'Debug::NoLocking=true'],
]
export const APT_OPTIONS = {
  env: { DEBIAN_FRONTEND: 'noninteractive' },
  unconfined: true,
  lasting: true,
}

/** Completes an interrupted dpkg run: until then apt refuses everything. */
export async function repair({ files, shell }: Host): Promise<void> {
  if ((await files.list('/var/lib/dpkg/updates')).length === 0) return
  await shell.try(['dpkg', '--force-confold', '--configure', '-a'], APT_OPTIONS)
}

/** Without terminal progress, and without the source of each package. */
export async function* readable(lines: AsyncGenerator<string, void>): Progress<void> {
  for await (const line of lines) {
    if (line.trim() !== '' && !/^(\(Reading database|Get:\d|[NW]: | {2})/.test(line)) yield line
  }
}

export async function* update({ shell }: Host): Progress<void> {
  yield 'Reading the package lists'
  yield* readable(shell.stream(['apt-get', ...APT, 'update', '-q'], APT_OPTIONS))
}

/** One apt at a time. Completes dpkg's part of failed work. */
export async function* withApt(host: Host, work: () => Progress<void>): Progress<void> {
  const release = await new Promise<() => void>((resolve, reject) => {
    host.exclusive('apt', () => new Promise<void>((free) => resolve(free))).catch(reject)
  })
  try {
    yield* work()
  } catch (error) {
    await repair(host.steady ?? host)
    throw error
  } finally {
    release()
  }
}
