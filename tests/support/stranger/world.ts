import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { startAcme } from '#tests/support/acme/index.ts'
import * as lab from '#tests/support/lab/index.ts'
import { startNpmMirror } from './npm-mirror.ts'
import { panelPackages } from './packages.ts'
import { makeRepository } from './repository.ts'

const MORE = '/srv/more-debs'
const MIRROR = '/srv/mirror'
const REPOSITORY = '/srv/hosting-control.git'
const ROOT_OF_AUTHORITY = '/root/authority.pem'

export const NAMES = {
  dashboard: 'control.example.com',
  server: 'web-1.example.com',
  site: 'shop.example.com',
} as const

/**
 * Two empty Debian hosts and their internet: names, a certificate authority, package sources, an
 * npm registry, this repository and a mirror of WordPress.
 */
export type World = Awaited<ReturnType<typeof startWorld>>

export async function startWorld() {
  const [more, mirror, repository, network] = await Promise.all([
    panelPackages(),
    wordpressMirror(),
    makeRepository(),
    lab.switchUp(),
  ])
  const acme = await startAcme()
  const npm = await startNpmMirror(network)
  const issuing = await acme.issuing_root()
  const trust = async (host: lab.Host) => {
    await host.put('/usr/local/share/ca-certificates/authority.crt', acme.ca_pem)
    await host.put('/usr/local/share/ca-certificates/issuing.crt', issuing)
    await host.must(['update-ca-certificates'])
  }
  /** A machine for the dashboard, to which its name leads from then on. */
  const startPanel = async (name: string) => {
    const host = await lab.startHost({
      name,
      suite: 'bookworm',
      init: 'systemd',
      binds: [
        { from: more, to: MORE, readonly: true },
        { from: repository.folder, to: REPOSITORY, readonly: true },
      ],
    })
    await host.put('/etc/apt/sources.list.d/more.list', `deb [trusted=yes] file:${MORE} ./\n`)
    await trust(host)
    await acme.resolve(NAMES.dashboard, host.address)
    return host
  }
  const panel = await startPanel('panel')
  const server = await lab.startHost({
    name: 'web-1',
    suite: 'trixie',
    init: 'systemd',
    binds: [{ from: mirror, to: MIRROR, readonly: true }],
  })
  await trust(server)
  await server.put(ROOT_OF_AUTHORITY, acme.ca_pem)
  await acme.resolve(NAMES.server, server.address)
  await acme.resolve(NAMES.site, server.address)
  return {
    panel,
    server,
    startPanel,
    repository,
    /** The guide's placeholder values. */
    values: {
      'address of this repository': REPOSITORY,
      'folder with latest.tar.gz': `file://${MIRROR}`,
      'address of wp-cli.phar': `file://${MIRROR}/wp-cli.phar`,
      'directory of your authority': acme.directory_url,
      'file with its root': ROOT_OF_AUTHORITY,
    } as Record<string, string>,
    /** Settings of an administrator of a host without internet. */
    environment: {
      npm_config_registry: npm.url,
      INSTALL_ACME_DIRECTORY: acme.directory_url,
      INSTALL_MACHINES: `linux-${process.arch}`,
      HOME: '/root',
    },
    async stop() {
      await npm.stop()
      await acme.stop()
      await lab.switchDown()
      await repository.remove()
    },
  }
}
