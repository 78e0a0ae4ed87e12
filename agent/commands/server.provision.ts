import type { Host } from '../host/ports.ts'
import { installedPhp } from '../os/packages.ts'
import { provisionSteps } from '../os/provision.ts'
import { type Command, type Step, WHOLE_SERVER } from './command.ts'

/** A restart of the agent does not end it: all that is there already is passed over. */
export const serverProvision: Command<'server.provision'> = {
  lock: () => WHOLE_SERVER,
  plan: stepsOf,
  async *resume(params, context) {
    yield 'The agent was restarted; going on'
    return yield* serverProvision.run(params, context)
  },
  async *run(params, { host, perform }) {
    yield* perform(await stepsOf(params, host))
    yield 'The server is ready for sites'
    return { php_versions: await installedPhp(host) }
  },
}

function stepsOf({ php_versions }: { php_versions: string[] }, host: Host): Promise<Step[]> {
  return provisionSteps(host, php_versions, 'php_versions')
}
