import type { Host } from '#agent/kernel/host/ports.ts'
import { READ_ONLY } from '#agent/kernel/packages/apt.ts'
import { oneLine, type PendingPackage } from '#shared/updates/maintenance.ts'

const UPGRADE = ['upgrade', '--with-new-pkgs', '-q']
/** The name of Debian's archive of security updates in apt. */
const SECURITY = /\bDebian-Security:|-security\b/

/** The maximum length of a name or a version. */
const MAX_LENGTH = 200

export interface PendingPackages {
  packages: PendingPackage[]
  /** The reason why the packages are unknown; empty if they are known. */
  problem: string
}

/** Lists the packages with a newer version, by a dry run of apt with its present lists. */
export async function pendingPackages(host: Host): Promise<PendingPackages> {
  const argv = ['apt-get', ...READ_ONLY, '--simulate', ...UPGRADE]
  const { code, stdout, stderr } = await host.shell.try(argv)
  if (code === 0) return { packages: parseSimulation(stdout), problem: '' }
  const [words = ''] = stderr.trim().split('\n')
  return { packages: [], problem: oneLine(words) || `apt-get ended with status ${code}` }
}

/** Parses `Inst openssl [3.0.19-1] (3.0.22-1 Debian-Security:12/stable [amd64])`: apt-get(8). */
export function parseSimulation(text: string): PendingPackage[] {
  const lines = text.matchAll(/^Inst (\S+)(?: \[([^\]\n]*)\])? \((\S+)([^)\n]*)\)/gm)
  return [...lines].map(([, name = '', installed = '', candidate = '', origin = '']) => ({
    name: oneLine(name, MAX_LENGTH),
    installed: oneLine(installed, MAX_LENGTH),
    candidate: oneLine(candidate, MAX_LENGTH),
    security: SECURITY.test(origin),
  }))
}

/** Returns the time of the last update of the package lists; null if never updated. */
export async function listsReadAt({ files }: Host): Promise<number | null> {
  const lists = await files.list('/var/lib/apt/lists')
  if (!lists.some(({ name }) => /_(Packages|InRelease|Release)(\.\w+)?$/.test(name))) return null
  const found = await files.stat('/var/lib/apt/lists/partial')
  return found?.mtime_ms ?? null
}
