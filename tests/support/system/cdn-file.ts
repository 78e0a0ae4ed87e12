import type { Enrolled } from './enrolled.ts'

const FILE = '/etc/hosting-agent/cdn-networks'
const ENV = '/etc/hosting-agent/agent.env'

/** Gives the agent a file with one network of Cloudflare, at which the server has an address. */
export async function addNetwork({ host }: Pick<Enrolled, 'host'>, address: string) {
  await host.must(['ip', 'address', 'add', `${address}/32`, 'dev', 'lo'])
  await host.put(FILE, `Cloudflare ${address}/32\n`)
  const line = `AGENT_CDN_NETWORKS_FILE=${FILE}`
  await host.must(['sh', '-c', 'echo "$1" >> "$2"', 'sh', line, ENV])
  await host.must(['systemctl', 'restart', 'hosting-agent'])
  return { replace: (text: string) => host.put(FILE, text) }
}
