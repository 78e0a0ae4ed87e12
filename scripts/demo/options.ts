import { parseArgs } from 'node:util'

export const HELP = `sh scripts/demo.sh (or: bun run demo): the dashboard with a simulated fleet

  --servers <n>    how many servers (12)
  --sites <n>      how many sites (300)
  --port <n>       where the dashboard answers on 127.0.0.1 (3000; 0 takes a free one)
  --data <folder>  keeps the records there; otherwise they are deleted at the end
  --seed <text>    a different fleet: the same seed gives the same one (demo)
  --pace <x>       how long programs take on its servers (1; 0: no time at all)
  --steady         no automatic events, and constant readings: for screenshots

ADMIN_PASSWORD in the environment is the password of demo@example.com; otherwise one is generated.
kill -USR1 <pid> brings the offline servers online; sent again, it takes them offline.`

export interface Options {
  servers: number
  sites: number
  port: number
  data: string | undefined
  seed: string
  pace: number
  steady: boolean
}

/** Returns the command line; undefined if help is requested. Throws one readable line. */
export function readOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      servers: { type: 'string', default: '12' },
      sites: { type: 'string', default: '300' },
      port: { type: 'string', default: '3000' },
      data: { type: 'string' },
      seed: { type: 'string', default: 'demo' },
      pace: { type: 'string', default: '1' },
      steady: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return undefined
  return {
    servers: wholeOf('--servers', values.servers, 1, 200),
    sites: wholeOf('--sites', values.sites, 0, 50_000),
    port: wholeOf('--port', values.port, 0, 65_535),
    data: values.data,
    seed: values.seed,
    pace: paceOf(values.pace),
    steady: values.steady,
  }
}

function wholeOf(name: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (/^\d{1,6}$/.test(text) && value >= least && value <= most) return value
  throw new Error(`${name} must be a whole number between ${least} and ${most}`)
}

function paceOf(text: string): number {
  const value = Number(text)
  if (/^\d{1,3}(\.\d{1,3})?$/.test(text) && value <= 100) return value
  throw new Error('--pace must be a number between 0 and 100')
}
