import { createHash } from 'node:crypto'
import { printed } from '#agent/kernel/host/simulated/programs/output.ts'
import type { SiteJob } from '#shared/jobs/site-jobs.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { server, shop } from './debian.ts'

export const AT = Date.UTC(2026, 2, 1, 9, 30)
const STARTING = '7d4958e842da4a758f6c1cdc7b36dcc5'
const FINISHED = '39f53479d3a045ac8e11786248231fbf'
const FAILED = 'd9b373ed55a64feb8242e02dbe79a49c'
const EXITED = '98e322203f7a4ed290d09fe03c09fe15'

/** The invocation of the run of this name. */
export const invocation = (run: string) => createHash('md5').update(run).digest('hex')

const entry = (run: string, seconds: number, MESSAGE_ID: string, more = {}) =>
  JSON.stringify({
    __REALTIME_TIMESTAMP: String((AT + seconds * 1000) * 1000),
    ...{ MESSAGE_ID, INVOCATION_ID: invocation(run), ...more },
  })

/** What systemd writes about a run. */
export const running = (run: string, seconds: number) => [entry(run, seconds, STARTING)]
export const succeeded = (run: string, seconds: number) => [
  ...running(run, seconds),
  entry(run, seconds + 2, FINISHED),
]
export const failed = (run: string, seconds: number, UNIT_RESULT = 'exit-code') => [
  ...running(run, seconds),
  ...(UNIT_RESULT === 'exit-code' ? [entry(run, seconds + 2, EXITED, { EXIT_STATUS: '3' })] : []),
  entry(run, seconds + 2, FAILED, { UNIT_RESULT }),
]

export const nightly: SiteJob = {
  ...{ name: 'nightly', schedule: '0 3 * * *', command: 'wp cache flush' },
  ...{ max_minutes: 60, enabled: true },
}

/** The journal of a server: entries of systemd by unit; and what each run printed, in the log of the site. */
interface Journal {
  reports: Record<string, string[]>
  printed: Record<string, string>
}

export async function withJournal(site: object = { jobs: [nightly] }) {
  const host = await server({ ...shop, ...site })
  const journal: Journal = { reports: {}, printed: {} }
  host.table.journalctl = (_, argv) => printed(reportsIn(journal, argv))
  host.table['hosting-agent'] = (_, _argv, { input = '{}' }) => {
    const { runs = [], chars } = JSON.parse(input)
    const all = Object.entries(journal.printed).map(
      ([run, text]) => [invocation(run), text] as const,
    )
    const wanted = all.filter(([run]) => runs.includes(run))
    return printed(
      JSON.stringify(Object.fromEntries(wanted.map(([run, text]) => [run, text.slice(-chars)]))),
    )
  }
  return { host, journal }
}

function reportsIn({ reports }: Journal, argv: readonly string[]): string {
  const unit = argv.find((word) => word.startsWith('UNIT='))?.slice('UNIT='.length) ?? ''
  return argv.includes('_PID=1') ? (reports[unit] ?? []).join('\n') : ''
}

/** `systemctl start` of the unit does this. */
export function onStart(host: FakeHost, unit: string, work: () => void, code = 0): void {
  const attempt = host.shell.try
  host.shell.try = async (argv, options) => {
    const output = await attempt(argv, options)
    if (argv.join(' ') !== `systemctl start ${unit}`) return output
    work()
    return { ...output, code }
  }
}
