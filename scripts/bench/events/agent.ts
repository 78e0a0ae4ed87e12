import { argv } from 'node:process'
import { siteCreate } from '#agent/features/sites/site.create.ts'
import { server } from '#tests/support/agent/debian.ts'
import { listeningAgent } from '#tests/support/agent/listening.ts'
import { tableOf } from '#tests/support/commands.ts'

/**
 * Runs a real agent over HTTP for sites with these domains, whose database.maintain prints lines and
 * changes nothing: of `talking…` a number of them, of others one, after which `waiting…` waits. Run as
 * `agent.ts LINES DOMAIN…`.
 */
const [lines, ...domains] = argv.slice(2)
const host = await server()
for (const domain of domains) host.pages.set(`http://${domain}/`, `<a href="http://${domain}/">`)
const { url } = await listeningAgent(
  host,
  tableOf({
    'site.create': siteCreate,
    'database.maintain': {
      lock: ({ domain }) => domain,
      plan: async () => [],
      async *run({ domain, action }) {
        const count = domain.startsWith('talking') ? Number(lines) : 1
        for (let line = 1; line <= count; line++) yield `Line ${line} of ${count}`
        if (domain.startsWith('waiting')) await Bun.sleep(600_000)
        return { domain, action, tables: [] }
      },
    },
  }),
)
console.log(`listening on ${url}`)
