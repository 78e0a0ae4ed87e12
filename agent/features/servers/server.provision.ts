import { provisionSteps } from '#agent/features/servers/provision/provision.ts'
import { installedPhp } from '#agent/kernel/packages/packages.ts'
import { command, line, WHOLE_SERVER } from '#agent/kernel/steps/command.ts'
import { allQuotasSteps } from '#agent/kernel/users/quota.ts'

/** A restart of the agent does not end it: completed steps are skipped. */
export const serverProvision = command('server.provision', {
  lock: () => WHOLE_SERVER,
  resume: 'again',
  async steps({ params: { php_versions, accept, php_source }, host }) {
    const consent = { accept, php_source }
    return [
      ...(await provisionSteps(host, php_versions, 'php_versions', consent)),
      ...(await allQuotasSteps(host)),
      line('The server is ready for sites'),
    ]
  },
  result: async ({ host }) => ({ php_versions: await installedPhp(host) }),
})
