import { parseArgs } from 'node:util'
import type { Config } from '#agent/kernel/config.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { TrustedDashboard } from '#agent/kernel/trust/trusted-dashboard.ts'
import { HubKey } from '#shared/servers/enrolment.ts'

const USAGE = `hosting-agent trust --hub-key ed25519:<id>:<key>

Replaces all keys that this agent trusts with the key of its dashboard, for example after the dashboard
was restored from a backup, or its key was rotated while this server was offline for more than a day.
The page Settings, Keys of the dashboard shows the key.`

/** `hosting-agent trust --hub-key …`: replaces all keys with a new one, for a lost dashboard. */
export async function trust({ state_dir }: Config, host: Host, args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: { 'hub-key': { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help || values['hub-key'] === undefined) return USAGE
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
