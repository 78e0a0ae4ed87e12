import type { Host } from '#agent/kernel/host/ports.ts'
import type { Reboot } from '#shared/updates/maintenance.ts'

/**
 * Whether this server needs a reboot: requests of packages, and a newer kernel than the running one. A
 * container runs the kernel of its host, which is not in its own /boot.
 */
export async function rebootOf(host: Host): Promise<Reboot> {
  const requests = await requestsOf(host)
  const kernel = await newerKernel(host)
  const reasons = [...new Set([...(kernel ? [`kernel ${kernel}`] : []), ...requests])]
  return { needed: reasons.length > 0, reasons: reasons.slice(0, 100) }
}

/** Written by the scripts of packages; without the list, the packages are unknown. */
async function requestsOf({ files }: Host): Promise<string[]> {
  if (!(await files.stat('/run/reboot-required'))) return []
  const text = (await files.read('/run/reboot-required.pkgs')) ?? ''
  const names = text.split('\n').filter((name) => /^[a-z0-9][a-z0-9+.-]*$/.test(name))
  return names.length > 0 ? names : ['packages']
}

async function newerKernel({ files }: Host): Promise<string | undefined> {
  const running = (await files.read('/proc/sys/kernel/osrelease'))?.trim() ?? ''
  const flavour = flavourOf(running)
  const installed = (await files.list('/boot'))
    .flatMap(({ name }) => /^vmlinuz-(.+)$/.exec(name)?.[1] ?? [])
    .filter((version) => flavourOf(version) === flavour)
  if (!installed.includes(running)) return undefined
  const newest = installed.reduce((one, other) => (isOlder(one, other) ? other : one), running)
  return newest === running ? undefined : newest
}

/** `6.1.0-25-cloud-amd64` → `cloud-amd64`. */
const flavourOf = (release: string) => /^[\d.+~a-z]*?-\d+-(.*)$/.exec(release)?.[1] ?? ''

function isOlder(one: string, other: string): boolean {
  const [left = [], right = []] = [one, other].map((text) => (text.match(/\d+/g) ?? []).map(Number))
  const at = left.findIndex((number, index) => number !== right[index])
  return at >= 0 && (left[at] ?? 0) < (right[at] ?? 0)
}
