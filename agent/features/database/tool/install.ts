import type { Host } from '#agent/kernel/host/ports.ts'
import {
  installedPhp,
  packagesInstalled,
  shippedPhp,
  simulateApt,
} from '#agent/kernel/packages/packages.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { conflict } from '#shared/kernel/errors.ts'

/** Debian's package: apt verifies it, and its security updates come with those of the server. */
const PACKAGE = 'adminer'
export const ADMINER = '/usr/share/adminer/adminer.php'
/** Web servers that its dependencies could install, and that must not be installed that way. */
const WEB_SERVER = /^(apache2|libapache2-mod-php|lighttpd)/

/** Returns the step that installs Adminer for `hosting-agent tool`; none if installed. */
export async function toolSteps(host: Host): Promise<Step[]> {
  if (await host.files.stat(ADMINER)) return []
  return [
    {
      name: 'adminer',
      title: 'Installing Adminer',
      ...packagesInstalled(host, [PACKAGE], 'php', { before: () => refuseServers(host) }),
    },
  ]
}

async function refuseServers(host: Host): Promise<void> {
  const found = await simulateApt(host, [PACKAGE])
  if (!found) throw conflict('apt cannot tell what it would install with Adminer')
  const server = found.find(({ name }) => WEB_SERVER.test(name))
  if (server)
    throw conflict(`Debian would install ${server.name} with Adminer: install it yourself`)
}

/** Prefers Debian's version of PHP. Throws conflict without any. */
export async function phpOfTool(host: Host): Promise<string> {
  const installed = await installedPhp(host)
  const shipped = await shippedPhp(host)
  const php = installed.includes(shipped) ? shipped : installed.at(-1)
  if (php === undefined) throw conflict('This server has no PHP, which Adminer needs')
  return php
}
