import { declared, folder, generated, inOrder } from '#agent/kernel/effects/change.ts'
import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { deniedAddresses } from '#agent/kernel/host/denied-addresses.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onUnits } from '#agent/kernel/services/index.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { unit } from '#shared/kernel/formats/systemd.ts'
import { RUN_FOLDERS } from './run-folders.ts'

/** The file of the parent slice of all sites: systemd.slice(5). */
export const ALL_SITES = '/etc/systemd/system/hosting.slice'
export const TMPFILES = '/etc/tmpfiles.d/hosting-sites.conf'

/**
 * Returns the steps that prepare what the sites of a server share: the slice that denies them the
 * link-local and metadata addresses, and the folders of their sockets; none if that is done, or
 * without systemd. The DNS servers stay reachable: some providers have both on one address.
 */
export async function commonSteps(host: Host): Promise<Step[]> {
  return [...(await sliceSteps(host)), ...(await runFolderSteps(host))]
}

/** Creates the folders by tmpfiles.d(5): they exist before any program, also at boot. */
const runFolderSteps = onUnits(async (host): Promise<Step[]> => {
  const lines = RUN_FOLDERS.map(({ path, mode }) => `d ${path} 0${mode.toString(8)} root root -\n`)
  const change = inOrder(
    ...RUN_FOLDERS.map(({ path, mode }) => folder(host, path, { mode })),
    generated(host, [{ path: TMPFILES, text: `# ${MARK_LINE}\n${lines.join('')}` }]),
  )
  if ((await host.files.stat(TMPFILES)) !== undefined) return []
  return [{ name: 'run folders', title: 'Preparing the sockets of sites', ...change }]
}, [])

const sliceSteps = onUnits(async (host): Promise<Step[]> => {
  const text = renderAllSites((await host.files.read('/etc/resolv.conf')) ?? '')
  if ((await host.files.read(ALL_SITES)) === text) return []
  const change = inOrder(
    generated(host, [{ path: ALL_SITES, text }]),
    declared([], () => host.shell.run(['systemctl', 'daemon-reload'])),
  )
  return [{ name: 'sites slice', title: 'Denying sites the metadata addresses', ...change }]
}, [])

export function renderAllSites(resolv_conf: string): string {
  return unit`# ${MARK_LINE}
[Unit]
Description=All sites

[Slice]
${deniedAddresses(resolv_conf)}
`
}
