import type { Host } from '#agent/kernel/host/ports.ts'
import { provideKey } from '#agent/kernel/site/certificate-files.ts'

export const accountFolderOf = ({ settings }: Host) => `${settings.state_dir}/acme`
export const accountKeyOf = (host: Host) => `${accountFolderOf(host)}/account.pem`

/** One account for each agent: authorities limit the number of accounts of one IP address. */
export async function accountKey(host: Host): Promise<string> {
  await host.files.mkdir(accountFolderOf(host), { mode: 0o700 })
  return host.exclusive('acme account', () => provideKey(host, accountKeyOf(host)))
}
