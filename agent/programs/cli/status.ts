import type { Config } from '#agent/kernel/config.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { readRules } from '#agent/kernel/policy/file.ts'
import { enrolmentOf } from '#agent/kernel/trust/index.ts'
import { type Trusted, TrustedDashboard } from '#agent/kernel/trust/trusted-dashboard.ts'

/** `hosting-agent status`: which dashboard this agent trusts, in readable lines. */
export async function status(config: Config, host: Host): Promise<string> {
  const trusted = await new TrustedDashboard(host.files, config.state_dir).read()
  const pending = await (await enrolmentOf(config, host)).pending()
  const keys = trusted?.keys.map(shown).join(', ')
  return [
    `version    ${config.settings.version}`,
    `listens    ${config.address}:${config.port} (${config.auth === 'signed' ? 'signed requests only' : 'no authentication'})`,
    `state      ${config.state_dir}`,
    `dashboard  ${trusted ? `server ${trusted.server_id}, keys ${keys}` : 'none: not enrolled'}`,
    `policy     ${await policyOf(config, host)}`,
    ...(pending ? [`enrolment  open for server ${pending.server_id}`] : []),
  ].join('\n')
}

async function policyOf({ policy_file: path }: Config, { files }: Host): Promise<string> {
  if (!(await files.stat(path))) return 'none: the dashboard may do everything'
  const rules = await readRules(files, path)
  return 'broken' in rules ? `${path} ${rules.broken}: nothing is changed` : path
}

function shown({ kid, until }: Trusted['keys'][number]): string {
  return until === null ? kid : `${kid} (until ${new Date(until * 1000).toISOString()})`
}
