import type { Host } from '#agent/host/ports.ts'
import { installedPhp } from '#agent/os/packages/packages.ts'
import { provisionSteps } from '#agent/os/provision/provision.ts'
import { allQuotasSteps } from '#agent/os/users/quota.ts'
import { refuseUnaccepted } from '#agent/steps/accept.ts'
import { type Command, type Step, WHOLE_SERVER } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'

/** A restart of the agent does not end it: completed steps are skipped. */
export const serverProvision: Command<'server.provision'> = {
  lock: () => WHOLE_SERVER,
  plan: stepsOf,
  async *resume(params, context) {
    yield 'The agent was restarted; continuing'
    return yield* serverProvision.run(params, context)
  },
  async *run(params, { host, perform }) {
    const steps = await stepsOf(params, host)
    await refuseUnaccepted(steps, params.accept ?? [])
    yield* perform(steps)
    yield 'The server is ready for sites'
    return { php_versions: await installedPhp(host) }
  },
}

async function stepsOf(
  { php_versions, accept, php_source }: ParamsOf<'server.provision'>,
  host: Host,
): Promise<Step[]> {
  const steps = await provisionSteps(host, php_versions, 'php_versions', { accept, php_source })
  return [...steps, ...(await allQuotasSteps(host))]
}
