import { ConfigError } from '#agent/kernel/host/errors.ts'
import type { Host } from '#agent/kernel/host/ports.ts'

/** The folders with records of sites: served, in the trash, and being purged. */
const FOLDERS = ['sites', 'trash', 'purging']

/**
 * With AGENT_AUTH=none, anybody who reaches the port runs commands as root, and the PHP of every site
 * reaches it. Throws a ConfigError if there are sites.
 */
export async function refuseSitesWithoutAuth({ files, settings }: Host): Promise<void> {
  for (const folder of FOLDERS) {
    const path = `${settings.state_dir}/${folder}`
    const found = (await files.list(path)).some(({ name }) => name.endsWith('.json'))
    if (!found) continue
    throw new ConfigError(
      `AGENT_AUTH=none would give every site of this server root, and ${path} has sites: use AGENT_AUTH=signed`,
    )
  }
}
