import { createApp } from '#agent/app.ts'
import { commands } from '#agent/commands.ts'
import { FoundMonitor } from '#agent/features/health/found/monitor.ts'
import { HealthMonitor } from '#agent/features/health/monitor.ts'
import { NumbersCollector } from '#agent/features/metrics/collector.ts'
import { type AskReading, askReadings } from '#agent/kernel/calls/reading.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { type ListeningServer, listen } from '#agent/kernel/http/listen.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import { Policy } from '#agent/kernel/policy/policy.ts'
import { openGate } from '#agent/kernel/trust/gate.ts'
import { type KeyRotation, rotationOf } from '#agent/kernel/trust/rotation.ts'
import { TrustedDashboard } from '#agent/kernel/trust/trusted-dashboard.ts'
import { readings } from '#agent/readings.ts'
import { plainTransport, type Transports } from '#dashboard/kernel/agents/transport.ts'
import { initialKey, issued, selfSigned } from '#scripts/demo/machine/authority.ts'
import { resultOf } from '#scripts/demo/machine/carry-out.ts'
import { hostOn, type Surroundings } from '#scripts/demo/machine/host.ts'
import { layOutServer, layOutSites } from '#scripts/demo/machine/lay-out.ts'
import type { Certificates } from '#scripts/demo/machine/lay-out-site.ts'
import { Machine, type Time } from '#scripts/demo/machine/machine.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { pairOf } from '#shared/kernel/site-names.ts'
import { newServer } from './make-fleet.ts'
import { type FleetPlan, isOffline, type ServerPlan } from './plan.ts'

export interface Member {
  plan: ServerPlan
  machine: Machine
  /** The host of servers on which programs take no time. */
  instant: Host
  agent: DemoAgent
}

interface Outside extends Surroundings {
  time: Time
  report: (error: unknown) => void
}

/** A fleet has every simulated server with its agent, by its name in the dashboard. */
export class Fleet {
  readonly plan: FleetPlan
  readonly members: readonly Member[]
  readonly #outside: Outside
  readonly #byHostname: Map<string, Member>
  /** Servers that a user added, before they exist. */
  readonly #expected = new Map<string, ReturnType<typeof setTimeout>>()
  /** Called for a server that has come online. */
  onOnline: (server_id: number, member: Member) => Promise<void> = async () => undefined

  private constructor(plan: FleetPlan, members: readonly Member[], outside: Outside) {
    this.plan = plan
    this.members = members
    this.#outside = outside
    this.#byHostname = new Map(members.map((member) => [member.plan.hostname, member]))
  }

  static async open(plan: FleetPlan, outside: Outside): Promise<Fleet> {
    const certificates = await certificatesFor(plan, outside.time.now())
    const members: Member[] = []
    for (const server of plan.servers) {
      const member = await makeMember(plan, server, outside)
      layOutSites(member.machine, certificates)
      members.push(member)
    }
    return new Fleet(plan, members, outside)
  }

  /** Starts all servers except the offline ones. */
  async start(): Promise<void> {
    for (const { plan, agent } of this.members)
      if (!isOffline(plan) && plan.role !== 'pending') await agent.start()
  }

  async stop(): Promise<void> {
    for (const timer of this.#expected.values()) clearTimeout(timer)
    await Promise.all([...this.#byHostname.values()].map(({ agent }) => agent.stop()))
  }

  /** Brings the offline servers back; when all are online, they go offline again. */
  async toggle(role?: ServerPlan['role']): Promise<void> {
    const some = this.members.filter(({ plan }) => (role ? plan.role === role : isOffline(plan)))
    const back = some.some(({ agent }) => !agent.up)
    for (const { agent } of some) await (back ? agent.start() : agent.stop())
  }

  /** Resolves every name to loopback: to a server of the fleet, or to one that is being added. */
  get transports(): Transports {
    return async ({ id, hostname }) => {
      const member = this.#byHostname.get(hostname)
      if (!member) this.#expect(hostname, id)
      const port = member?.agent.port || NOBODY
      return plainTransport({ id, hostname: '127.0.0.1', port }, false)
    }
  }

  /** Lets the server arrive after a time, as if a user had run the command on it. */
  #expect(hostname: string, server_id: number): void {
    if (this.#expected.has(hostname)) return
    const { pace, report } = this.#outside
    const arrive = () => this.#arrive(hostname, server_id).catch(report)
    this.#expected.set(hostname, setTimeout(arrive, ARRIVAL_MS * pace))
  }

  async #arrive(hostname: string, server_id: number): Promise<void> {
    const member = await makeMember(this.plan, newServer(hostname), this.#outside)
    await member.agent.start()
    this.#byHostname.set(hostname, member)
    await this.onOnline(server_id, member)
  }
}

async function makeMember(fleet: FleetPlan, plan: ServerPlan, outside: Outside): Promise<Member> {
  const machine = new Machine(fleet, plan, outside.time)
  layOutServer(machine)
  const instant = hostOn(machine, { ...outside, pace: 0 })
  await resultOf(instant, 'server.provision', { php_versions: [] })
  const agent = new DemoAgent(hostOn(machine, outside), outside.report)
  return { plan, machine, instant, agent }
}

const ARRIVAL_MS = 8_000
/** Nothing answers on the port of tcpmux. */
const NOBODY = 1

async function certificatesFor({ servers }: FleetPlan, now: number): Promise<Certificates> {
  const sites = servers.flatMap((server) => server.sites)
  const names = (some: typeof sites) => some.flatMap(({ domain }) => pairOf(domain))
  const own = names(sites.filter(({ tls }) => tls === 'self-signed'))
  const certificates = new Map<number | 'self' | 'key', string>([
    ['self', await selfSigned({ name: 'CN=Hosting Control', names: own }, now)],
    ['key', initialKey()],
  ])
  for (const [days, some] of Map.groupBy(sites, (site) => site.certificate))
    certificates.set(days, await issued({ names: names(some), days }, now))
  return certificates
}

/** The pause after each check of all sites: simulated servers share one processor. */
const CHECK_MS = 10_000
const CHECK_MS_A_SITE = 60

/** This is the agent of a simulated server: everything except its machine is the real one. */
class DemoAgent {
  /** Asks its readings without a request. */
  readonly ask: AskReading
  readonly #app: ReturnType<typeof createApp>
  readonly #own: HealthMonitor
  readonly #found: FoundMonitor
  readonly #host: Host
  #listening: ListeningServer | undefined

  constructor(host: Host, report: (error: unknown) => void) {
    const runner = new Runner({ host, commands, report: (error) => report(error) })
    this.#host = host
    this.#own = new HealthMonitor(host, {
      isBusy: (domain) => runner.isBusy(apexOf(domain)),
      report,
    })
    this.#found = new FoundMonitor(host)
    const deps = {
      host,
      runner,
      health: () => [...this.#own.list(), ...this.#found.list()],
      numbers: new NumbersCollector(host),
      rotation: rotationOn(host),
    }
    this.ask = askReadings(readings, deps, new AbortController().signal)
    this.#app = createApp({
      ...deps,
      readings,
      gate: openGate,
      policy: new Policy({ ...host, path: '/etc/hosting-agent/policy.json', store: runner.store }),
      report,
    })
  }

  /** Returns the loopback port; 0: it does not listen. */
  get port(): number {
    return this.#listening ? Number(new URL(this.#listening.url).port) : 0
  }

  get up(): boolean {
    return this.#listening !== undefined
  }

  async start(): Promise<void> {
    if (this.#listening) return
    const loopback = { address: '127.0.0.1', port: 0 }
    this.#listening = await listen((request) => this.#app.fetch(request), loopback)
    void this.#watch(this.#listening)
  }

  /** Checks the sites as agent/rounds.ts does, at its own pace while the server is online. */
  async #watch(listening: ListeningServer): Promise<void> {
    while (this.#listening === listening) {
      await this.#own.look()
      await this.#own.visit(this.#found.size)
      await this.#found.visit(this.#own.size)
      const sites = this.#own.size + this.#found.size
      await this.#host.clock.sleep(CHECK_MS + CHECK_MS_A_SITE * sites)
    }
  }

  /** Takes the agent offline; running work continues. */
  async stop(): Promise<void> {
    const listening = this.#listening
    this.#listening = undefined
    await listening?.stop()
  }
}

/** Returns the rotation of the keys that a dashboard gives to every agent; the caller needs no proof. */
function rotationOn({ files, clock, exclusive, settings }: Host): KeyRotation {
  const trust = new TrustedDashboard(files, settings.state_dir)
  return rotationOf({ trust, exclusive, now: () => Math.floor(clock.now() / 1000) })
}
