import { clientOf, groupSteps, refuseOpen } from '#agent/features/access/ssh/sshd.ts'
import { deferred, inOrder } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { CLIENT_GROUP, clientAccountsOf, clientPasswordsOf, loginOf } from './clients.ts'

type Params = Pick<ParamsOf<'site.access'>, 'domain' | 'clients'>

/** Before sshd is asked how it treats the accounts: a new one has no password yet. */
export async function clientAccountSteps(params: Params, host: Host): Promise<Step[]> {
  const { clients: known = [] } = await getSite(host, params.domain)
  if (params.clients.length === 0) return known.length === 0 ? [] : [accountStep(params, host)]
  return [...(await groupSteps(host, CLIENT_GROUP)), accountStep(params, host)]
}

/** After it was asked. */
export const clientPasswordSteps = (params: Params, host: Host, checked: boolean): Step[] =>
  params.clients.length === 0 ? [] : [passwordStep(params, host, checked)]

/** Everything that an interrupted operation may have to undo. */
export const undoableClients = (params: Params, host: Host): Step[] => [
  accountStep(params, host),
  passwordStep(params, host),
]

/** The sessions of these accounts, as sshd has to treat them. */
export const clientSessions = ({ user }: Site, { clients }: Params) =>
  clients.map(({ token }) => clientOf(loginOf(user, token)))

const targetOf = async ({ domain, clients }: Params, host: Host): Promise<Site> => ({
  ...(await getSite(host, domain)),
  clients,
})

function accountStep(params: Params, host: Host): Step {
  return {
    name: 'client accounts',
    title: 'Preparing the client accounts',
    ...deferred(async () => clientAccountsOf(host, await targetOf(params, host))),
    undo: () => restore(params, host.steady ?? host),
  }
}

/** `checked`: unless it only removes access, which must never be refused. */
function passwordStep(params: Params, host: Host, checked = true): Step {
  const change = deferred(async () => clientPasswordsOf(host, await targetOf(params, host)))
  return {
    name: 'client passwords',
    title: 'Setting the passwords of client accounts',
    effects: change.effects,
    async apply() {
      if (checked)
        await refuseOpen(host, clientSessions(await getSite(host, params.domain), params))
      await change.apply()
    },
    undo: () => restore(params, host.steady ?? host),
  }
}

/** The accounts of the record, with their passwords. */
async function restore({ domain }: Params, host: Host): Promise<void> {
  const site = await getSite(host, domain)
  await inOrder(clientAccountsOf(host, site), clientPasswordsOf(host, site)).apply()
}
