import { parseArgs } from 'node:util'
import type { Config } from '#agent/config.ts'
import type { Host } from '#agent/host/ports.ts'
import { TrustedDashboard } from '#agent/trust/trusted-dashboard.ts'
import { HubKey } from '#shared/enrolment.ts'

/** `hosting-agent trust --hub-key …`: replaces all keys with a new one, for a lost dashboard. */
export async function trust({ state_dir }: Config, host: Host, args: string[]): Promise<string> {
  const { values } = parseArgs({ args, options: { 'hub-key': { type: 'string' } } })
  const hub = HubKey.safeParse(values['hub-key'])
  if (!hub.success) throw new Error('--hub-key must be ed25519:<id>:<key>')
  const store = new TrustedDashboard(host.files, state_dir)
  const before = await store.read()
  if (!before)
    throw new Error('this agent was never enrolled: use the command that the dashboard shows')
  await store.write({
    server_id: before.server_id,
    epoch: before.epoch + 1,
    keys: [{ ...hub.data, until: null }],
  })
  return `trusted: ${hub.data.kid}, and no other key`
}

/** `hosting-agent revoke`: trusts no dashboard any more. Sites keep running unchanged. */
export async function revoke({ state_dir }: Config, host: Host): Promise<string> {
  await new TrustedDashboard(host.files, state_dir).remove()
  return 'revoked: this agent trusts no dashboard until it is enrolled again'
}
