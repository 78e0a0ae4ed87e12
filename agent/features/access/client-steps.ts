import { clientOf, groupSteps, refuseUnconfined } from '#agent/features/access/ssh/sshd.ts'
import { deferred, inOrder } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { CLIENT_GROUP, clientAccountsOf, clientPasswordsOf, loginOf } from './clients.ts'

type ClientParams = Pick<ParamsOf<'site.access'>, 'domain' | 'clients'>

/** Returns the steps before sshd is asked about the accounts, as a new one has no password yet. */
export async function clientAccountSteps(params: ClientParams, host: Host): Promise<Step[]> {
  const { clients: known = [] } = await getSite(host, params.domain)
  if (params.clients.length === 0) return known.length === 0 ? [] : [accountStep(params, host)]
  return [...(await groupSteps(host, CLIENT_GROUP)), accountStep(params, host)]
}

/** Returns the steps after sshd was asked how it treats the accounts. */
export const clientPasswordSteps = (params: ClientParams, host: Host, checked: boolean): Step[] =>
  params.clients.length === 0 ? [] : [passwordStep(params, host, checked)]

export const undoableClientSteps = (params: ClientParams, host: Host): Step[] => [
  accountStep(params, host),
  passwordStep(params, host),
]

export const clientSessions = ({ user }: Site, { clients }: ClientParams) =>
  clients.map(({ token }) => clientOf(loginOf(user, token)))

const targetOf = async ({ domain, clients }: ClientParams, host: Host): Promise<Site> => ({
  ...(await getSite(host, domain)),
  clients,
})

function accountStep(params: ClientParams, host: Host): Step {
  return {
    name: 'client accounts',
    title: 'Preparing the client accounts',
    ...deferred(async () => clientAccountsOf(host, await targetOf(params, host))),
    undo: () => restoreClients(params, host.steady ?? host),
  }
}

/** `checked` is false for a change that only removes access: it must never be refused. */
function passwordStep(params: ClientParams, host: Host, checked = true): Step {
  const change = deferred(async () => clientPasswordsOf(host, await targetOf(params, host)))
  return {
    name: 'client passwords',
    title: 'Setting the passwords of client accounts',
    effects: change.effects,
    async apply() {
      if (checked)
        await refuseUnconfined(host, clientSessions(await getSite(host, params.domain), params))
      await change.apply()
    },
    undo: () => restoreClients(params, host.steady ?? host),
  }
}

async function restoreClients({ domain }: ClientParams, host: Host): Promise<void> {
  const site = await getSite(host, domain)
  await inOrder(clientAccountsOf(host, site), clientPasswordsOf(host, site)).apply()
}
