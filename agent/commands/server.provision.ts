import { installedPhp } from '../os/packages.ts'
import { provision } from '../os/provision.ts'
import type { Command } from './command.ts'

export const serverProvision: Command<'server.provision'> = {
  lock: () => 'server',
  async *run({ php_versions }, { host }) {
    yield* provision(host, php_versions, 'php_versions')
    yield 'The server is ready for sites'
    return { php_versions: await installedPhp(host) }
  },
}
