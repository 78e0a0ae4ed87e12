import { run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { command, type Progress, stepResult } from '#agent/kernel/steps/command.ts'
import { plainOutput } from '#shared/jobs/job-runs.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { wordpressFailure, wordpressSilent } from './failure.ts'
import { runWpCli } from './wp-cli.ts'

/** The number of last lines of the run: plugins may print any number. */
const MAX_LINES = 200
const MAX_LINE = 500

const count = stepResult<number>('The events were not counted')

/** Runs what the timer of the site runs, at once and with its output. */
export const wpCronRun = command('wp.cron-run', {
  ...onSite,
  async check({ domain }, host) {
    const site = await getSite(host, domain)
    if (site.suspended) throw conflict(`${domain} is suspended: resume it to run its events`)
    if (site.moving?.closed)
      throw conflict(`${domain} moves to another server: its events run there`)
    return { site }
  },
  steps: ({ host, site, gives }) => [
    {
      name: 'events',
      title: `Running the due events of ${site.domain}`,
      effects: [run('program', 'wp cron event run --due-now')],
      apply: gives(count, () => runEvents(host, site)),
    },
  ],
  result: ({ site, get }) => ({ domain: site.domain, events: get(count) }),
})

async function* runEvents(host: Host, site: Site): Progress<number> {
  const output = await runWpCli(host, site, ['cron', 'event', 'run', '--due-now'])
  yield* linesOf(output.stdout)
  if (output.code !== 0) throw wordpressFailure(site, output, 'The events did not run')
  if (!DONE.test(output.stdout)) throw wordpressSilent('The events did not run')
  return countIn(output.stdout)
}

const linesOf = (text: string): string[] =>
  plainOutput(text)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-MAX_LINES)
    .map((line) => line.slice(0, MAX_LINE))

/** Matches the end of a complete run. */
const DONE = /Success: Executed a total of /

/** Parses the number at the end: `Success: Executed a total of 3 cron events.` */
const countIn = (text: string): number =>
  Math.min(1e6, Number(/Executed a total of (\d{1,7}) cron event/.exec(text.slice(-500))?.[1] ?? 0))
