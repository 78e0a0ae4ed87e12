import { siteCreate } from '#agent/features/sites/site.create.ts'
import { server } from '#tests/support/agent/debian.ts'
import { listeningAgent } from '#tests/support/agent/listening.ts'
import { tableOf } from '#tests/support/commands.ts'
import { DOMAINS, LINES } from './domains.ts'

/** This is a real agent over HTTP whose database.maintain only prints lines. */
const host = await server()
for (const domain of Object.values(DOMAINS).flat())
  host.pages.set(`http://${domain}/`, `<a href="http://${domain}/">`)
const { url } = await listeningAgent(
  host,
  tableOf({
    'site.create': siteCreate,
    'database.maintain': {
      lock: ({ domain }) => domain,
      plan: async () => [],
      async *run({ domain, action }) {
        const lines = DOMAINS.talking.includes(domain) ? LINES : 1
        for (let line = 1; line <= lines; line++) yield `Line ${line} of ${lines}`
        if (DOMAINS.waiting.includes(domain)) await Bun.sleep(600_000)
        return { domain, action, tables: [] }
      },
    },
  }),
)
console.log(`listening on ${url}`)
