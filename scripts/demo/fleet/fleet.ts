import { serverProvision } from '#agent/commands/server.provision.ts'
import type { Host } from '#agent/host/ports.ts'
import type { Transports } from '#dashboard/fleet/transport.ts'
import { plainTransport } from '#dashboard/fleet/transport.ts'
import { DemoAgent } from '../agent.ts'
import { certificateWith, selfSigned } from '../machine/authority.ts'
import { resultOf } from '../machine/carry-out.ts'
import { hostOn, type Surroundings } from '../machine/host.ts'
import { layOutServer, layOutSites } from '../machine/lay-out.ts'
import type { Certificates } from '../machine/lay-out-site.ts'
import { Machine, type Time } from '../machine/machine.ts'
import type { FleetPlan, ServerPlan } from './plan.ts'

export interface Member {
  plan: ServerPlan
  machine: Machine
  /** On which programs take no time. */
  instant: Host
  agent: DemoAgent
}

interface Outside extends Surroundings {
  time: Time
  report: (error: unknown) => void
}

/** Every simulated server with its agent, by the name that the dashboard knows it by. */
export class Fleet {
  readonly plan: FleetPlan
  readonly members: readonly Member[]
  readonly #byHostname: ReadonlyMap<string, Member>

  private constructor(plan: FleetPlan, members: readonly Member[]) {
    this.plan = plan
    this.members = members
    this.#byHostname = new Map(members.map((member) => [member.plan.hostname, member]))
  }

  static async open(plan: FleetPlan, outside: Outside): Promise<Fleet> {
    const certificates = await certificatesFor(plan, outside.time.now())
    const members: Member[] = []
    for (const server of plan.servers) {
      const machine = new Machine(plan, server, outside.time)
      layOutServer(machine)
      const instant = hostOn(machine, { ...outside, pace: 0 })
      await resultOf(instant, (context) => serverProvision.run({ php_versions: [] }, context))
      layOutSites(machine, certificates)
      const agent = new DemoAgent(hostOn(machine, outside), outside.report)
      members.push({ plan: server, machine, instant, agent })
    }
    return new Fleet(plan, members)
  }

  /** All but those that are away. */
  async start(): Promise<void> {
    for (const { plan, agent } of this.members) if (!isAway(plan)) await agent.start()
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map(({ agent }) => agent.stop()))
  }

  /** Those that were away come back; when all are there, they go away again. */
  async turn(): Promise<Member[]> {
    const some = this.members.filter(({ plan }) => isOffline(plan))
    const back = some.some(({ agent }) => !agent.up)
    for (const { agent } of some) await (back ? agent.start() : agent.stop())
    return some
  }

  /** The names of the fleet lead to loopback, and every other one to nobody. */
  get transports(): Transports {
    return async ({ id, hostname }) => {
      const port = this.#byHostname.get(hostname)?.agent.port || NOBODY
      return plainTransport({ id, hostname: '127.0.0.1', port }, false)
    }
  }
}

/** tcpmux: nothing answers there. */
const NOBODY = 1

const isOffline = ({ role }: ServerPlan): boolean => role === 'offline' || role === 'flaky'

const isAway = (plan: ServerPlan) => isOffline(plan) || plan.role === 'pending'

async function certificatesFor({ servers }: FleetPlan, now: number): Promise<Certificates> {
  const days = new Set(servers.flatMap(({ sites }) => sites.map((site) => site.certificate)))
  const some = [...days].map(async (left) => [left, await certificateWith(left, now)] as const)
  return new Map<number | 'self', string>([
    ...(await Promise.all(some)),
    ['self', await selfSigned('CN=Hosting Control', now)],
  ])
}
