import type { Step } from '../../commands/command.ts'
import type { Host } from '../../host/ports.ts'
import * as effects from '../effects.ts'
import { MARK_LINE, replace } from '../generated.ts'
import { mailSteps } from '../mail/base.ts'

/** The slice that those of all sites are in: systemd.slice(5). */
export const ALL_SITES = '/etc/systemd/system/hosting.slice'

/**
 * Addresses that hand out the credentials of a cloud server: link-local ones (RFC 3927, RFC 4291)
 * and those that providers document outside of them (AWS by IPv6, Alibaba Cloud, Oracle Cloud).
 */
const METADATA = [
  '169.254.0.0/16',
  'fe80::/64',
  'fd00:ec2::254/128',
  '100.100.100.200/32',
  '192.0.0.192/32',
]

/**
 * What all sites of a server need: the place of their mail, and the step that denies every site the link-local and metadata addresses; none where that is so, or
 * where systemd does not run. What the server resolves names with stays reachable: some providers
 * have put both behind one address.
 */
export async function allSitesSteps(host: Host): Promise<Step[]> {
  return [...(await sliceSteps(host)), ...(await mailSteps(host))]
}

async function sliceSteps(host: Host): Promise<Step[]> {
  if (host.init !== 'systemd') return []
  const text = renderAllSites((await host.files.read('/etc/resolv.conf')) ?? '')
  const before = await host.files.read(ALL_SITES)
  if (before === text) return []
  return [
    {
      name: 'sites slice',
      title: 'Denying sites the metadata addresses',
      effects: effects.writing(ALL_SITES, before, text),
      async apply() {
        await replace(host, ALL_SITES, text)
        await host.shell.run(['systemctl', 'daemon-reload'])
      },
    },
  ]
}

export function renderAllSites(resolv_conf: string): string {
  return `# ${MARK_LINE}
[Unit]
Description=All sites

[Slice]
${deniedAddresses(resolv_conf)}
`
}

/** Directives of systemd.resource-control(5). */
export function deniedAddresses(resolv_conf: string): string {
  const servers = [...resolv_conf.matchAll(/^\s*nameserver\s+([0-9a-fA-F.:]+)/gm)]
  const allowed = servers.map(([, address = '']) => address.toLowerCase()).filter(isDenied)
  const denied = `IPAddressDeny=${METADATA.join(' ')}`
  return allowed.length > 0 ? `${denied}\nIPAddressAllow=${allowed.join(' ')}` : denied
}

function isDenied(address: string): boolean {
  const prefixes = ['169.254.', 'fe80:']
  if (prefixes.some((prefix) => address.startsWith(prefix))) return true
  return METADATA.some((range) => range.split('/')[0] === address)
}
