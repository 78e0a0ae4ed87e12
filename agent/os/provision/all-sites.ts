import { deniedAddresses } from '#agent/host/denied-addresses.ts'
import type { Host } from '#agent/host/ports.ts'
import { DEBUG_PHP, STAGING_DEBUG_PHP } from '#agent/os/as-site/debug.ts'
import { DEBUG_PHP_TEXT, STAGING_DEBUG_PHP_TEXT } from '#agent/os/as-site/debug-php.ts'
import { declared, folder, generated, inOrder } from '#agent/os/effects/change.ts'
import { MARK_LINE } from '#agent/os/effects/generated.ts'
import { LOGIN_PHP_TEXT } from '#agent/os/login/program.ts'
import { mailSteps } from '#agent/os/mail/base.ts'
import { onUnits } from '#agent/os/services/index.ts'
import { LOGIN_PHP } from '#agent/os/site/paths.ts'
import { RUN_FOLDERS } from '#agent/os/site/run-folders.ts'
import type { Step } from '#agent/steps/command.ts'
import { unit } from '#shared/formats/systemd.ts'

/** The parent slice of all sites: systemd.slice(5). */
export const ALL_SITES = '/etc/systemd/system/hosting.slice'
export const TMPFILES = '/etc/tmpfiles.d/hosting-sites.conf'

/**
 * The common parts of all sites of a server: the folders of their mail, the programs for logins and
 * debug logs, and the step that denies
 * sites the link-local and metadata addresses; no step if that is done, or without systemd. The DNS
 * servers stay reachable: some providers have both on one address.
 */
export async function allSitesSteps(host: Host): Promise<Step[]> {
  return [
    ...(await sliceSteps(host)),
    ...(await runFolderSteps(host)),
    ...(await mailSteps(host)),
    ...(await programSteps(host)),
  ]
}

/** tmpfiles.d(5): they are there before the programs of any site, also after a boot. */
const runFolderSteps = onUnits(async (host): Promise<Step[]> => {
  const lines = RUN_FOLDERS.map(({ path, mode }) => `d ${path} 0${mode.toString(8)} root root -\n`)
  const change = inOrder(
    ...RUN_FOLDERS.map(({ path, mode }) => folder(host, path, { mode })),
    generated(host, [{ path: TMPFILES, text: `# ${MARK_LINE}\n${lines.join('')}` }]),
  )
  if ((await host.files.stat(TMPFILES)) !== undefined) return []
  return [{ name: 'run folders', title: 'Preparing the sockets of sites', ...change }]
}, [])

async function programSteps(host: Host): Promise<Step[]> {
  const login = generated(host, [{ path: LOGIN_PHP, text: LOGIN_PHP_TEXT }])
  const debug = generated(host, [
    { path: DEBUG_PHP, text: DEBUG_PHP_TEXT },
    { path: STAGING_DEBUG_PHP, text: STAGING_DEBUG_PHP_TEXT },
  ])
  const steps: Step[] = [
    { name: 'login', title: 'Installing the program for logins', ...login },
    { name: 'debug log', title: 'Installing the program for debug logs', ...debug },
  ]
  const missing = await Promise.all(
    [login, debug].map(async ({ effects }) => (await effects()).length > 0),
  )
  return steps.filter((_, at) => missing[at])
}

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
