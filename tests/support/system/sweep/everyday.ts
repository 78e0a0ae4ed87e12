import * as lab from '#tests/support/lab/index.ts'
import { morePackages } from '#tests/support/lab/more-packages.ts'
import { long } from '#tests/support/runs.ts'
import { addAdminerSource } from '#tests/support/system/adminer-source.ts'
import { shopOf, withShop } from '#tests/support/system/prepared.ts'
import { startVisitor } from '#tests/support/system/steady-load.ts'
import { sampled } from '#tests/support/turns.ts'
import { type CrashingAgent, startCrashingAgent } from './agent.ts'
import { kindsOf, withinSteps } from './points.ts'
import { perform, referenceOf, type Scenario, sweep, type Work } from './sweep.ts'
import { Sweeps } from './sweeps.ts'

export const SHOP = shopOf('bookworm')
const DEBS = '/srv/more-debs'

/** A site whose commands are cut off while a visitor asks for its pages. */
export class EverydaySweeps extends Sweeps {
  static async start(name: string): Promise<EverydaySweeps> {
    const sweeps = new EverydaySweeps(
      await startCrashingAgent(name, { image: await withShop('bookworm') }),
    )
    const { host } = sweeps.agent
    const debs = await morePackages('bookworm', ['redis-tools', 'unattended-upgrades'])
    await lab.must(['cp', '--recursive', debs, `${host.root}${DEBS}`])
    await host.put('/etc/apt/sources.list.d/more.list', `deb [trusted=yes] file:${DEBS} ./\n`)
    await addAdminerSource(host, 'bookworm')
    return sweeps
  }

  /** Once before: only then are the records of one operation those of the next. */
  async warm(...works: readonly Work[]): Promise<void> {
    for (const work of works) await perform(this.agent, work)
  }

  /** Waits for the queue of the site's mail after a relay was set. */
  async mailQueueListens(): Promise<void> {
    const status = `/var/lib/hosting-mail/status/${SHOP.user}.json`
    const script = `test -e ${status} && ls /var/lib/hosting-mail/sockets/*/mail.sock`
    await lab.poll(async () => (await this.agent.host.exec(['bash', '-c', script])).code === 0)
  }

  /** Kills the agent ahead of steps and within them; returns what was wrong, also for a visitor. */
  async unnoticed(scenario: Scenario, every = 1): Promise<string[]> {
    await this.warm(scenario.work, ...scenario.back)
    const asked = { domain: SHOP.domain, path: '/', expected: '<!DOCTYPE html>', per_second: 4 }
    const visitor = startVisitor(this.agent.host, asked)
    const agent: CrashingAgent = {
      ...this.agent,
      run: (command, params, points = []) => {
        const work = () => this.agent.run(command, params, points)
        return points.length > 0 ? visitor.during(work) : work()
      },
    }
    const [killed] = await Promise.allSettled([this.killed(scenario, every, agent)])
    const { good, bad } = await visitor.stop()
    if (killed.status === 'rejected') throw killed.reason
    return [...killed.value, ...bad, ...(good > 0 ? [] : ['no visitor came'])]
  }

  async killed(scenario: Scenario, every = 1, agent = this.agent): Promise<string[]> {
    const reference = await referenceOf(this.agent, scenario)
    const kinds = [...kindsOf(reference), withinSteps(reference)]
    for (const [kind, points] of kinds) {
      // The sweeps of other commands have power failures, which every visitor notices.
      if (points.flat().some(({ how }) => how !== 'SIGKILL')) continue
      const some = points.filter((_, at) => long || (points.length - 1 - at) % every === 0)
      const outcome = await sweep(agent, scenario, reference, kind, sampled(some))
      this.outcomes.push(outcome)
      if (outcome.problems.length > 0) return outcome.problems
    }
    await this.warm(scenario.work, ...scenario.back)
    return []
  }
}
