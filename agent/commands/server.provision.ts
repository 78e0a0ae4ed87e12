import { installedPhp } from '../os/packages.ts'
import { provision } from '../os/provision.ts'
import { type Command, WHOLE_SERVER } from './command.ts'

export const serverProvision: Command<'server.provision'> = {
  lock: () => WHOLE_SERVER,
  async *run({ php_versions }, { host }) {
    yield* provision(host, php_versions, 'php_versions')
    yield 'The server is ready for sites'
    return { php_versions: await installedPhp(host) }
  },
}
