import { fail } from '#scripts/lib/fail.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { startThree } from '#tests/support/leases/fleet.ts'
import { sweep } from '#tests/support/processes.ts'
import { report } from './lib/figure.ts'
import { median } from './lib/measure.ts'
import { costOf, measureRates, processed, type Rate, type Rates } from './several/rates.ts'
import { takeoverTimes } from './several/takeover.ts'
import { measureVisibility } from './several/visibility.ts'

/** What more dashboards may add to the processor time of a request. */
const THREE_GOAL = 1.5
const EVENT_GOAL_MS = 500
const TAKEOVER_GOAL_S = 11

const MEANING = `The plain rate depends on this machine, where all dashboards, the libSQL server and the client
share the processors: it cannot grow with the number of dashboards. A rate of processor time counts
the requests in a second of processor time of all dashboards and the libSQL server, whatever else
runs. With enough processors, the rate of n dashboards is limited by n times what one processor of a
dashboard answers, and by what the processors of the libSQL server answer.
`

/**
 * One, two and three dashboards on one libSQL server, beside a single one with a file: requests with
 * a session that is checked each time; from a write at one dashboard to its visibility at another;
 * and the takeover after the end of a dashboard. Exits with status 1 if an answer is wrong, an
 * operation is lost or repeated, or a goal is missed.
 */
async function main(): Promise<void> {
  const { rates, query, idle } = await measureRates()
  console.log(MEANING)
  console.log(`a query without tables: ${query.toFixed(2)} ms of the libSQL server`)
  console.log(`an idle dashboard and its part of the libSQL server: ${idle.toFixed(0)} ms/s`)
  for (const each of rates) print(each)
  const agent = new FakeAgent()
  const { records, members } = await startThree(agent)
  const [one, two] = members
  if (!two) throw new Error('there are no three dashboards')
  const { missed, writes, read, event } = await measureVisibility(one, two)
  const takeovers = await takeoverTimes(agent, records, members)
  await records.stop()
  await agent.stop()
  console.log(`write to read elsewhere: ${described(read)}`)
  console.log(`call to event elsewhere: ${described(event)}`)
  for (const { share, operation } of takeovers)
    console.log(`takeover: ${seconds(share)} s, operation ended after ${seconds(operation)} s`)
  const met = [
    ...rates.map(againstFile),
    report({
      ...{ name: 'processor time of a request, three dashboards against one', unit: 'ms' },
      ...{ ...dearest(rates), at_most: THREE_GOAL },
    }),
    report({ name: `missed of ${writes} writes`, unit: 'reads', ours: missed, at_most: 0 }),
    report({
      ...{ name: 'call to its event at another dashboard, longest', unit: 'ms' },
      ...{ ours: Math.max(...event), at_most: EVENT_GOAL_MS },
    }),
    report({
      ...{ name: `takeover after SIGKILL, longest of ${takeovers.length}`, unit: 's' },
      ...{ ours: longest(takeovers.map(({ share }) => share)), at_most: TAKEOVER_GOAL_S },
    }),
    report({
      ...{ name: 'end of the operation of a killed dashboard, longest', unit: 's' },
      ...{ ours: longest(takeovers.map(({ operation }) => operation)), at_most: TAKEOVER_GOAL_S },
    }),
  ]
  if (met.includes(false)) throw new Error('a goal is missed')
}

/** Stated without a goal: on a server, each kept answer is preceded by a question for the version. */
function againstFile({ path, of }: Rates): boolean {
  return report({
    ...{ name: `${path}, one dashboard against one with a file`, unit: 'requests/s of processor' },
    ...{ ours: processed(rateIn(of, 1)), against: processed(rateIn(of, 0)), at_least: 0 },
  })
}

/** Of the address whose requests become most expensive. */
function dearest(rates: readonly Rates[]): { ours: number; against: number } {
  const costs = rates.map(({ of }) => ({
    ours: costOf(rateIn(of, 3)),
    against: costOf(rateIn(of, 1)),
  }))
  const [first] = costs.toSorted((a, b) => b.ours / b.against - a.ours / a.against)
  if (!first) throw new Error('nothing was measured')
  return first
}

function rateIn(of: Rates['of'], count: number): Rate {
  const rate = of.get(count)
  if (!rate) throw new Error(`nothing was measured with ${count} dashboards`)
  return rate
}

function print({ path, of }: Rates): void {
  console.log(path)
  for (const [count, rate] of [...of].toSorted(([a], [b]) => a - b)) {
    const { plain, dashboards, sqld } = rate
    const rest = `${plain.toFixed(0)} requests/s, ${processed(rate).toFixed(0)} of processor time`
    if (count === 0) console.log(`  one with a file: ${rest}`)
    else
      console.log(`  ${count} of several: ${rest}; one processor of a dashboard answers \
${(1000 / dashboards).toFixed(0)}, one of the libSQL server ${(1000 / sqld).toFixed(0)}`)
  }
}

const longest = (times: readonly number[]) => Math.max(...times) / 1000
const seconds = (ms: number) => (ms / 1000).toFixed(2)

const described = (times: readonly number[]) =>
  `median ${median(times).toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms`

await main()
  .finally(sweep)
  .then(() => process.exit(0), fail)
