import { siteRename } from '#agent/features/copies/site.rename.ts'
import { done, printed } from '#agent/kernel/host/simulated/programs/output.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { COMMANDS } from '#shared/commands.ts'
import type { Warning } from '#shared/servers/agent.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { contextOf, outcome, server, shop } from './debian.ts'

export const OLD = shop.domain
export const NEW = 'new.example'
export const CONFIG = '/srv/www/shop/public/wp-config.php'
const CONSTANT = `<?php\ndefine( 'WP_HOME', 'http://${OLD}' );\n`

const DUMP = `CREATE TABLE \`wp_options\` (
  \`option_name\` text,
  \`option_value\` text
);
INSERT INTO \`wp_options\` (\`option_name\`, \`option_value\`) VALUES ('home','http://${OLD}');
-- Dump completed
`

export const renameParams = (given: object = {}) =>
  COMMANDS['site.rename'].params.parse({ domain: OLD, primary: NEW, ...given })

export const rename = (host: FakeHost, given: object = {}, warnings: Warning[] = []) =>
  outcome(siteRename.run(renameParams(given), contextOf(host, warnings)))

/** A shop whose database and wp-config.php have its address. */
export async function renamable(site: Site = shop, values: string[] = []): Promise<FakeHost> {
  const rows = values.map((value, at) => `,('value ${at}','${value}')`)
  const dump = DUMP.replace(';\n--', `${rows.join('')};\n--`)
  const host = await server(site)
  host.pages.set(`http://${NEW}/`, '')
  host.disk.putText(CONFIG, CONSTANT)
  const { xargs } = host.table
  host.table.xargs = (machine, argv, options) => {
    if (!argv.includes('mariadb-dump')) return xargs?.(machine, argv, options) ?? done()
    if (!options.output_file) return printed(dump)
    host.disk.putText(options.output_file, dump, { mode: 0o600 })
    return done()
  }
  return host
}

/** The names by which the machine knows the site: its records, what nginx reads, and its address. */
export async function standing(host: FakeHost) {
  const named = async (folder: string, form: RegExp) =>
    (await host.files.list(folder)).flatMap(({ name }) => form.exec(name)?.[1] ?? [])
  const enabled = '/etc/nginx/sites-enabled'
  const links = await named(enabled, /^hosting-(.+\..+)\.conf$/)
  const targets = links.map((domain) => host.disk.find(`${enabled}/hosting-${domain}.conf`))
  return {
    records: await named('/var/lib/hosting-agent/sites', /^(.+)\.json$/),
    links,
    read: targets.map((node) => (node?.kind === 'link' ? node.target : '')),
    files: await named('/etc/nginx/sites-available', /^hosting-(.+\..+)\.conf/),
    config: host.disk.text(CONFIG),
    kept: await named('/srv/www/.restore/shop', /^(replaced|fetched)$/),
    certificates: await named('/etc/hosting/tls', /^(.+)$/),
  }
}

/** All of it under one name. */
export const wholly = (domain: string, certificates: string[] = []) => ({
  ...{ records: [domain], links: [domain], files: [domain], kept: [], certificates },
  read: [`/etc/nginx/sites-available/hosting-${domain}.conf`],
  config: CONSTANT.replace(OLD, domain),
})
